// Which rank of a run this process is, as whoever started it says in the environment.
#include "runtime/dist/launch.h"

#include "runtime/core/error.h"
#include "runtime/dist/addresses.h"
#include "runtime/dist/slurm.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <vector>

namespace stretto::runtime {
namespace {

constexpr int mostRanks = 1 << 20, highestPort = 65535;

// Variables of one launcher. All that read throw Error with the name of the variable.
class Variables {
public:
  // `sign`: the variable by which the launcher was seen.
  Variables(const Environment &environment, const char *sign) : environment(environment), sign(sign) {}

  // Empty where it is not set.
  std::string_view find(const char *name) const {
    const char *value = environment(name);
    return value ? value : "";
  }
  std::string_view text(const char *name) const {
    const std::string_view value = find(name);
    if (value.empty())
      throw Error(fmt::format("{} must be set beside {}, but is missing", name, sign));
    return value;
  }
  int number(const char *name, int low, int high) const {
    const std::string_view value = text(name);
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < low || number > high)
      throw Error(fmt::format("{} must be an integer in {}..{}, but got '{}'", name, low, high, value));
    return number;
  }

private:
  const Environment &environment;
  const char *sign;
};

// A program that starts ranks, and where it says which rank a process is.
struct Launcher {
  const char *name, *rank, *ranks;
  // Seen by this variable, and else by either of those above.
  const char *sign = nullptr;
  // Set by nobody else: the launcher then started this process itself, within what another one had started. Of the two
  // the inner one counts.
  const char *proof = nullptr;
  // Fills in what is neither rank nor ranks.
  void (*complete)(const Variables &, Launch &) = nullptr;
};

void readLocal(const Variables &variables, Launch &launch, const char *rank, const char *ranks) {
  launch.localRanks = variables.number(ranks, 1, launch.ranks);
  launch.localRank = variables.number(rank, 0, launch.localRanks - 1);
}

void readMaster(const Variables &variables, Launch &launch) {
  launch.address = launch.isOnOneHost() ? loopback : variables.text("MASTER_ADDR");
  launch.port = variables.number("MASTER_PORT", 1, highestPort);
}

void completeOwn(const Variables &variables, Launch &launch) {
  launch.localRank = launch.rank;
  launch.localRanks = launch.ranks;
  const std::string_view store = variables.text(strettoStore);
  const size_t colon = store.rfind(':');
  const std::string_view port = store.substr(colon == store.npos ? store.size() : colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), launch.port);
  if (colon == 0 || error != std::errc() || end != port.data() + port.size() || launch.port < 1 ||
      launch.port > highestPort)
    throw Error(fmt::format("{} must be ADDRESS:PORT, but got '{}'", strettoStore, store));
  launch.address = store.substr(0, colon);
  if (launch.rank == 0)
    launch.listener = variables.number(strettoListener, 0, std::numeric_limits<int>::max());
}

void completeTorchrun(const Variables &variables, Launch &launch) {
  readLocal(variables, launch, "LOCAL_RANK", "LOCAL_WORLD_SIZE");
  launch.isClient = variables.find("TORCHELASTIC_USE_AGENT_STORE") == "True";
  readMaster(variables, launch);
  if (!launch.isClient)
    return;
  launch.address = variables.text("MASTER_ADDR");
  // The store of the agent keeps what ranks left there before they were started again.
  const int restarts = variables.number("TORCHELASTIC_RESTART_COUNT", 0, std::numeric_limits<int>::max());
  launch.prefix = fmt::format("stretto/attempt-{}", restarts);
}

void completeSlurm(const Variables &variables, Launch &launch) {
  constexpr int firstPort = 20000, ports = 20000;
  const int node = variables.number("SLURM_NODEID", 0, mostRanks);
  const std::string_view tasks = variables.text("SLURM_STEP_TASKS_PER_NODE");
  const std::optional<int> localRanks = tasksOfNode(tasks, node);
  if (!localRanks || *localRanks > launch.ranks)
    throw Error(fmt::format("SLURM_STEP_TASKS_PER_NODE must say how many of {} tasks node {} has, like 8(x2),4, but "
                            "got '{}'",
                            launch.ranks, node, tasks));
  launch.localRanks = *localRanks;
  launch.localRank = variables.number("SLURM_LOCALID", 0, launch.localRanks - 1);
  if (variables.find("MASTER_PORT").empty())
    launch.port = firstPort + variables.number("SLURM_JOB_ID", 0, std::numeric_limits<int>::max()) % ports;
  else
    launch.port = variables.number("MASTER_PORT", 1, highestPort);
  launch.address = launch.isOnOneHost() ? loopback : variables.find("MASTER_ADDR");
  if (!launch.address.empty())
    return;
  const std::string_view nodes = variables.text("SLURM_STEP_NODELIST");
  const std::optional<std::string> first = firstHost(nodes);
  if (!first)
    throw Error(fmt::format("SLURM_STEP_NODELIST must be a list of hosts like gpu[1-4], but got '{}'", nodes));
  launch.address = *first;
}

void completeOpenMpi(const Variables &variables, Launch &launch) {
  readLocal(variables, launch, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
  readMaster(variables, launch);
}

void completePmi(const Variables &variables, Launch &launch) {
  readLocal(variables, launch, "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
  readMaster(variables, launch);
}

// The inner ones first: mpirun starts its helpers by srun, and torchrun may be started by either.
const std::vector<Launcher> &launchers() {
  static const std::vector<Launcher> all = {
      {.name = "stretto", .rank = strettoRank, .ranks = strettoRanks, .complete = completeOwn},
      {.name = "torchrun",
       .rank = "RANK",
       .ranks = "WORLD_SIZE",
       .proof = "TORCHELASTIC_RUN_ID",
       .complete = completeTorchrun},
      {.name = "mpirun",
       .rank = "OMPI_COMM_WORLD_RANK",
       .ranks = "OMPI_COMM_WORLD_SIZE",
       .proof = "OMPI_COMM_WORLD_RANK",
       .complete = completeOpenMpi},
      // A batch script has the other variables, too.
      {.name = "SLURM",
       .rank = "SLURM_PROCID",
       .ranks = "SLURM_NTASKS",
       .sign = "SLURM_STEP_ID",
       .complete = completeSlurm},
      {.name = "mpirun", .rank = "PMI_RANK", .ranks = "PMI_SIZE", .complete = completePmi},
  };
  return all;
}

// The variable by which a launcher is seen; null where it is not there.
const char *signOf(const Launcher &launcher, const Environment &environment) {
  const Variables variables(environment, "");
  if (launcher.sign)
    return variables.find(launcher.sign).empty() ? nullptr : launcher.sign;
  for (const char *name : {launcher.rank, launcher.ranks})
    if (!variables.find(name).empty())
      return name;
  return nullptr;
}

void expectAgreement(const Launcher &one, const Launch &first, const Launcher &two, const Launch &second) {
  const bool sameRanks = first.ranks == second.ranks;
  if (sameRanks && first.rank == second.rank)
    return;
  throw Error(fmt::format("launchers must agree, but {} is {} ({}) and {} is {} ({}); unset the variables of one, or "
                          "give --ranks 1 for a run of one rank",
                          sameRanks ? one.rank : one.ranks, sameRanks ? first.rank : first.ranks, one.name,
                          sameRanks ? two.rank : two.ranks, sameRanks ? second.rank : second.ranks, two.name));
}

} // namespace

std::optional<Launch> findLaunch(const Environment &environment) {
  const Launcher *chosen = nullptr;
  Launch launch;
  for (const Launcher &launcher : launchers()) {
    const char *sign = signOf(launcher, environment);
    if (!sign)
      continue;
    const Variables variables(environment, sign);
    const bool isInner = launcher.proof && !variables.find(launcher.proof).empty();
    Launch found;
    found.by = launcher.name;
    found.rankVariable = launcher.rank;
    found.ranksVariable = launcher.ranks;
    found.ranks = variables.number(launcher.ranks, 1, mostRanks);
    found.rank = variables.number(launcher.rank, 0, found.ranks - 1);
    if (chosen && found.ranks > 1) {
      expectAgreement(*chosen, launch, launcher, found);
    } else if (found.ranks > 1) {
      chosen = &launcher;
      launch = found;
    }
    if (isInner)
      break;
  }
  if (!chosen)
    return std::nullopt;
  chosen->complete(Variables(environment, signOf(*chosen, environment)), launch);
  return launch;
}

} // namespace stretto::runtime
