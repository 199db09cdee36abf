// Which rank a process is, by the variables of each launcher.
#include "runtime/dist/launch.h"

#include "runtime/dist/slurm.h"
#include "test/unit/runtime/small.h"

#include <map>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launch> launchOf(const Variables &variables) {
  return findLaunch([&](const char *name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}
std::string launchError(const Variables &variables) {
  return errorOf([&] { launchOf(variables); });
}

// The variables with some set anew; "-" takes one away.
Variables with(Variables variables, const Variables &others) {
  for (const auto &[name, value] : others)
    if (value == "-")
      variables.erase(name);
    else
      variables[name] = value;
  return variables;
}

const Variables own = {
    {"STRETTO_RANK", "0"}, {"STRETTO_RANKS", "4"}, {"STRETTO_STORE", "127.0.0.1:4321"}, {"STRETTO_LISTENER", "5"}};
const Variables torchrun = {{"RANK", "9"},
                            {"WORLD_SIZE", "16"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "8"},
                            {"MASTER_ADDR", "b0"},
                            {"MASTER_PORT", "29500"},
                            {"TORCHELASTIC_RUN_ID", "none"},
                            {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                            {"TORCHELASTIC_RESTART_COUNT", "2"}};
const Variables byHand =
    with(torchrun,
         {{"TORCHELASTIC_RUN_ID", "-"}, {"TORCHELASTIC_USE_AGENT_STORE", "-"}, {"TORCHELASTIC_RESTART_COUNT", "-"}});
const Variables slurm = {{"SLURM_STEP_ID", "0"},
                         {"SLURM_JOB_ID", "40007"},
                         {"SLURM_PROCID", "9"},
                         {"SLURM_NTASKS", "20"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_NODEID", "1"},
                         {"SLURM_STEP_TASKS_PER_NODE", "8(x2),4"},
                         {"SLURM_STEP_NODELIST", "gpu[03-05]"}};
const Variables openMpi = {
    {"OMPI_COMM_WORLD_RANK", "3"},       {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"MASTER_ADDR", "b0"},         {"MASTER_PORT", "29500"}};
const Variables pmi = {{"PMI_RANK", "3"},        {"PMI_SIZE", "4"},     {"MPI_LOCALRANKID", "1"},
                       {"MPI_LOCALNRANKS", "2"}, {"MASTER_ADDR", "b0"}, {"MASTER_PORT", "29500"}};

} // namespace

TEST(Launch, NobodyIsSeen) {
  EXPECT_FALSE(launchOf({}));
  EXPECT_FALSE(launchOf({{"MASTER_ADDR", "b0"}, {"MASTER_PORT", "1"}, {"RANK", ""}}));
  EXPECT_FALSE(launchOf(with(slurm, {{"SLURM_STEP_ID", "-"}}))) << "a bare batch script";
}

TEST(Launch, OurOwn) {
  const Launch first = launchOf(own).value();
  EXPECT_EQ(first.by, "stretto");
  EXPECT_EQ(first.rankVariable, "STRETTO_RANK");
  EXPECT_EQ(first.ranksVariable, "STRETTO_RANKS");
  EXPECT_EQ(first.ranks, 4);
  EXPECT_EQ(first.address, "127.0.0.1");
  EXPECT_EQ(first.port, 4321);
  EXPECT_EQ(first.listener, 5);
  EXPECT_FALSE(first.isClient);
  const Launch last = launchOf(with(own, {{"STRETTO_RANK", "3"}})).value();
  EXPECT_EQ(last.rank, 3);
  EXPECT_EQ(last.localRank, 3);
  EXPECT_EQ(last.localRanks, 4);
  EXPECT_EQ(last.listener, -1);
}

TEST(Launch, OurOwnWithMistakes) {
  EXPECT_EQ(launchError(with(own, {{"STRETTO_RANK", "4"}})), "STRETTO_RANK must be an integer in 0..3, but got '4'");
  EXPECT_EQ(launchError(with(own, {{"STRETTO_RANK", "-"}})),
            "STRETTO_RANK must be set beside STRETTO_RANKS, but is missing");
  EXPECT_EQ(launchError(with(own, {{"STRETTO_LISTENER", "-"}})),
            "STRETTO_LISTENER must be set beside STRETTO_RANK, but is missing");
  for (const std::string store : {"127.0.0.1", ":1", "a:", "a:1x", "a:0", "a:65536"})
    EXPECT_EQ(launchError(with(own, {{"STRETTO_STORE", store}})),
              "STRETTO_STORE must be ADDRESS:PORT, but got '" + store + "'");
}

TEST(Launch, Torchrun) {
  const Launch launch = launchOf(torchrun).value();
  EXPECT_EQ(launch.by, "torchrun");
  EXPECT_EQ(launch.rank, 9);
  EXPECT_EQ(launch.ranks, 16);
  EXPECT_EQ(launch.localRank, 1);
  EXPECT_EQ(launch.localRanks, 8);
  EXPECT_EQ(launch.address, "b0");
  EXPECT_EQ(launch.port, 29500);
  EXPECT_TRUE(launch.isClient);
  EXPECT_EQ(launch.listener, -1);
  EXPECT_NE(launch.prefix, launchOf(with(torchrun, {{"TORCHELASTIC_RESTART_COUNT", "3"}}))->prefix);
  const Variables oneHost = {{"RANK", "1"}, {"WORLD_SIZE", "8"}};
  EXPECT_EQ(launchOf(with(torchrun, oneHost))->address, "b0") << "where the agent listens";
}

TEST(Launch, TheVariablesOfTorchrunByHand) {
  const Launch launch = launchOf(byHand).value();
  EXPECT_FALSE(launch.isClient);
  EXPECT_EQ(launch.prefix, "");
  EXPECT_EQ(launch.address, "b0");
  EXPECT_EQ(launchOf(with(byHand, {{"RANK", "1"}, {"WORLD_SIZE", "8"}}))->address, "127.0.0.1");
}

TEST(Launch, TorchrunWithMistakes) {
  for (const std::string name :
       {"WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT"})
    EXPECT_EQ(launchError(with(torchrun, {{name, "-"}})), name + " must be set beside RANK, but is missing");
  EXPECT_EQ(launchError(with(torchrun, {{"RANK", "-"}})), "RANK must be set beside WORLD_SIZE, but is missing");
  for (const std::string number : {"1.0", "+1", " 1", "1 ", "0x1", "-1", "16", "99999999999"})
    EXPECT_EQ(launchError(with(torchrun, {{"RANK", number}})),
              "RANK must be an integer in 0..15, but got '" + number + "'");
  EXPECT_EQ(launchError(with(torchrun, {{"LOCAL_WORLD_SIZE", "17"}})),
            "LOCAL_WORLD_SIZE must be an integer in 1..16, but got '17'");
  EXPECT_EQ(launchError(with(torchrun, {{"LOCAL_RANK", "8"}})), "LOCAL_RANK must be an integer in 0..7, but got '8'");
  EXPECT_EQ(launchError(with(torchrun, {{"MASTER_PORT", "0"}})),
            "MASTER_PORT must be an integer in 1..65535, but got '0'");
}

TEST(Launch, Slurm) {
  const Launch launch = launchOf(slurm).value();
  EXPECT_EQ(launch.by, "SLURM");
  EXPECT_EQ(launch.ranksVariable, "SLURM_NTASKS");
  EXPECT_EQ(launch.rank, 9);
  EXPECT_EQ(launch.ranks, 20);
  EXPECT_EQ(launch.localRank, 1);
  EXPECT_EQ(launch.localRanks, 8);
  EXPECT_EQ(launch.address, "gpu03");
  EXPECT_EQ(launch.port, 20007);
  EXPECT_FALSE(launch.isClient);
  const Launch named = launchOf(with(slurm, {{"MASTER_ADDR", "10.0.0.4"}, {"MASTER_PORT", "77"}})).value();
  EXPECT_EQ(named.address, "10.0.0.4");
  EXPECT_EQ(named.port, 77);
}

TEST(Launch, SlurmOnOneHost) {
  const Launch launch =
      launchOf(with(slurm, {{"SLURM_NTASKS", "10"}, {"SLURM_NODEID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "10"}}))
          .value();
  EXPECT_EQ(launch.localRanks, 10);
  EXPECT_EQ(launch.address, "127.0.0.1");
}

TEST(Launch, SlurmWithMistakes) {
  for (const std::string name : {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_JOB_ID",
                                 "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST"})
    EXPECT_EQ(launchError(with(slurm, {{name, "-"}})), name + " must be set beside SLURM_STEP_ID, but is missing");
  EXPECT_EQ(launchError(with(slurm, {{"SLURM_NODEID", "3"}})),
            "SLURM_STEP_TASKS_PER_NODE must say how many of 20 tasks node 3 has, like 8(x2),4, but got '8(x2),4'");
  EXPECT_EQ(launchError(with(slurm, {{"SLURM_STEP_NODELIST", "gpu["}})),
            "SLURM_STEP_NODELIST must be a list of hosts like gpu[1-4], but got 'gpu['");
}

TEST(Launch, OpenMpi) {
  const Launch launch = launchOf(openMpi).value();
  EXPECT_EQ(launch.by, "mpirun");
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.ranks, 4);
  EXPECT_EQ(launch.localRank, 1);
  EXPECT_EQ(launch.localRanks, 2);
  EXPECT_EQ(launch.address, "b0");
  EXPECT_EQ(launch.port, 29500);
  for (const std::string name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                 "MASTER_ADDR", "MASTER_PORT"})
    EXPECT_EQ(launchError(with(openMpi, {{name, "-"}})),
              name + " must be set beside OMPI_COMM_WORLD_RANK, but is missing");
}

TEST(Launch, Pmi) {
  const Launch launch = launchOf(pmi).value();
  EXPECT_EQ(launch.by, "mpirun");
  EXPECT_EQ(launch.ranksVariable, "PMI_SIZE");
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.localRank, 1);
  const Variables oneHost = {{"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}, {"MASTER_ADDR", "-"}};
  EXPECT_EQ(launchOf(with(pmi, oneHost))->address, "127.0.0.1");
  for (const std::string name : {"PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "MASTER_PORT"})
    EXPECT_EQ(launchError(with(pmi, {{name, "-"}})), name + " must be set beside PMI_RANK, but is missing");
}

TEST(Launch, OneRankIsNoLaunch) {
  EXPECT_FALSE(launchOf({{"STRETTO_RANK", "0"}, {"STRETTO_RANKS", "1"}}));
  EXPECT_FALSE(launchOf({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  EXPECT_FALSE(launchOf({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}));
  EXPECT_FALSE(launchOf({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}));
  EXPECT_EQ(launchError({{"RANK", "1"}, {"WORLD_SIZE", "1"}}), "RANK must be an integer in 0..0, but got '1'");
  EXPECT_EQ(launchOf(with(own, {{"RANK", "0"}, {"WORLD_SIZE", "1"}}))->by, "stretto");
}

TEST(Launch, TwoThatAgree) {
  Variables both = with(slurm, {{"PMI_RANK", "9"}, {"PMI_SIZE", "20"}});
  EXPECT_EQ(launchOf(both)->by, "SLURM");
  both.merge(with(byHand, {{"WORLD_SIZE", "20"}}));
  EXPECT_EQ(launchOf(both)->by, "torchrun");
}

TEST(Launch, TwoThatContradictEachOther) {
  const std::string advice = "; unset the variables of one, or give --ranks 1 for a run of one rank";
  EXPECT_EQ(launchError(with(slurm, byHand)),
            "launchers must agree, but WORLD_SIZE is 16 (torchrun) and SLURM_NTASKS is 20 (SLURM)" + advice);
  EXPECT_EQ(launchError(with(slurm, {{"PMI_RANK", "8"}, {"PMI_SIZE", "20"}})),
            "launchers must agree, but SLURM_PROCID is 9 (SLURM) and PMI_RANK is 8 (mpirun)" + advice);
  EXPECT_EQ(launchError(with(own, torchrun)),
            "launchers must agree, but STRETTO_RANKS is 4 (stretto) and WORLD_SIZE is 16 (torchrun)" + advice);
}

// srun starts torchrun or the helpers of mpirun on each host, and these start the ranks.
TEST(Launch, OneWithinAnother) {
  EXPECT_EQ(launchOf(with(slurm, torchrun))->ranks, 16);
  EXPECT_EQ(launchOf(with(slurm, openMpi))->ranks, 4);
  EXPECT_FALSE(launchOf(with(slurm, {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"TORCHELASTIC_RUN_ID", "x"}})));
}

TEST(Launch, FirstHostOfAList) {
  EXPECT_EQ(firstHost("b7"), "b7");
  EXPECT_EQ(firstHost("b7,c8"), "b7");
  EXPECT_EQ(firstHost("gpu[003-006,9],login1"), "gpu003");
  EXPECT_EQ(firstHost("gpu[9,003-006]"), "gpu9");
  EXPECT_EQ(firstHost("rack[2-3]n[07-08]-ib"), "rack2n07-ib");
  for (const char *list : {"", ",a", "a[", "a[]", "a[-1]", "a[1-2"})
    EXPECT_EQ(firstHost(list), std::nullopt) << list;
}

TEST(Launch, TasksOfANode) {
  EXPECT_EQ(tasksOfNode("8", 0), 8);
  EXPECT_EQ(tasksOfNode("8(x2),4,3(x10)", 1), 8);
  EXPECT_EQ(tasksOfNode("8(x2),4,3(x10)", 2), 4);
  EXPECT_EQ(tasksOfNode("8(x2),4,3(x10)", 12), 3);
  EXPECT_EQ(tasksOfNode("8(x2),4,3(x10)", 13), std::nullopt);
  for (const char *list : {"", "x", "0", "-1", "8(x0)", "8(x", "8(x2", "8;4", "8(2)"})
    EXPECT_EQ(tasksOfNode(list, 1), std::nullopt) << list;
}
