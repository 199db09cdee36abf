// The tasks by name.
#include "tasks/registry.h"

#include "runtime/core/nearest.h"
#include "tasks/brevo/brevo.h"
#include "tasks/capo/capo.h"
#include "tasks/copy/copy.h"
#include "tasks/depo/depo.h"
#include "tasks/hops/hops.h"
#include "tasks/lano/lano.h"
#include "tasks/mano/mano.h"
#include "tasks/tokens/tokens.h"

namespace stretto::tasks {

namespace {
struct Entry {
  TaskInfo info;
  std::unique_ptr<runtime::Task> (*make)(Parameters);
};

template <typename T> std::unique_ptr<runtime::Task> make(Parameters values) {
  return std::make_unique<T>(std::move(values));
}
} // namespace

static const std::vector<Entry> &entries() {
  static const std::vector<Entry> all = {
      {{"brevo1", "all that a node of a graph depends on, short names", BrevoTask::parameterInfos1()}, make<BrevoTask>},
      {{"brevo2", "all that a node of a graph depends on, long names", BrevoTask::parameterInfos2()}, make<BrevoTask>},
      {{"capo", "biographies of made-up people, to be learned by heart", CapoTask::parameterInfos()}, make<CapoTask>},
      {{"copy", "some symbols, then the same again", CopyTask::parameterInfos()}, make<CopyTask>},
      {{"depo1", "steps along a shuffled cycle, short names", DepoTask::parameterInfos1()}, make<DepoTask>},
      {{"depo2", "steps along a shuffled cycle, long names", DepoTask::parameterInfos2()}, make<DepoTask>},
      {{"hops", "birth years hidden in a text, one or two steps away", HopsTask::parameterInfos()}, make<HopsTask>},
      {{"lano", "sentences of a grammar", LanoTask::parameterInfos()}, make<LanoTask>},
      {{"mano", "arithmetic modulo 23 in prefix form", ManoTask::parameterInfos()}, make<ManoTask>},
      {{"tokens", "a file of tokens", TokensTask::parameterInfos()}, make<TokensTask>},
  };
  return all;
}

std::vector<TaskInfo> listTasks() {
  std::vector<TaskInfo> infos;
  for (const Entry &entry : entries())
    infos.push_back(entry.info);
  return infos;
}

std::unique_ptr<runtime::Task> makeTask(const std::string &name, const std::map<std::string, std::string> &settings) {
  std::vector<std::string> names;
  for (const Entry &entry : entries()) {
    if (entry.info.name == name)
      return entry.make(Parameters(name, entry.info.parameters, settings));
    names.push_back(entry.info.name);
  }
  throw TaskError("no task is called '" + name + "'" + runtime::suggestName(name, names));
}

std::vector<int32_t> publishedIds(const runtime::Task &task) {
  const auto *packed = dynamic_cast<const PackedTask *>(&task);
  const auto *capo = dynamic_cast<const CapoTask *>(&task);
  return packed ? packed->publishedIds() : capo ? capo->publishedIds() : std::vector<int32_t>();
}

} // namespace stretto::tasks
