// The report: a folder with the plots, report.md and report.html.
#include "runtime/runs/report.h"

#include "runtime/runs/differences.h"
#include "runtime/runs/plots.h"
#include "runtime/runs/table.h"
#include "runtime/train/files.h"

namespace stretto::runtime {

static void writeFile(const std::filesystem::path &path, const std::string &text) {
  replaceFile(placeOfOutput(path.string()), text);
}

static std::string htmlParagraphs(const std::string &text) {
  std::string html;
  for (size_t from = 0; from < text.size();) {
    size_t to = std::min(text.find("\n\n", from), text.size());
    html += "<p>" + escapeXml(text.substr(from, to - from)) + "</p>\n";
    from = std::min(to + 2, text.size());
  }
  return html;
}

static const char *page() {
  return R"(<style>
  :root { color-scheme: light dark; --ink: #0b0b0b; --surface: #fcfcfb; --line: #dcdbd6 }
  @media (prefers-color-scheme: dark) { :root { --ink: #f4f3ef; --surface: #1a1a19; --line: #3b3b37 } }
  body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
         background: var(--surface); max-width: 66rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; margin: 1rem 0 }
  th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap;
           vertical-align: top }
  small { opacity: .7 }
  th:first-child, td:first-child { text-align: left }
  figure { margin: 1.5rem 0 } figcaption { font-size: 13px; opacity: .75 } svg { max-width: 100%; height: auto }
</style>
)";
}

namespace {

// A report as it grows, in both forms.
class Writer {
public:
  Writer(const Report &report, const std::filesystem::path &folder);
  void addSection(const Section &section);
  void finish();

  std::vector<std::string> plots;

private:
  void addTable(const Table &table, const std::string &title);
  void addText(const std::string &text);
  void addPlot(const Plot &plot, const std::string &file);

  std::filesystem::path folder;
  std::string markdown, html;
};

} // namespace

Writer::Writer(const Report &report, const std::filesystem::path &folder) : folder(folder) {
  markdown = "# " + report.title + "\n\n";
  html = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width\">\n<title>" +
         escapeXml(report.title) + "</title>\n" + page() + "<h1>" + escapeXml(report.title) + "</h1>\n";
  addText(report.text);
}

void Writer::addText(const std::string &text) {
  if (text.empty())
    return;
  markdown += text + "\n\n";
  html += htmlParagraphs(text);
}

void Writer::addTable(const Table &table, const std::string &title) {
  addText(title);
  markdown += markdownTable(table) + "\n";
  html += htmlTable(table);
}

void Writer::addPlot(const Plot &plot, const std::string &file) {
  writeFile(folder / file, plot.svg);
  plots.push_back(file);
  markdown += "![" + plot.caption + "](" + file + ")\n\n" + plot.caption + "\n\n";
  html += "<figure>\n" + plot.svg + "<figcaption>" + escapeXml(plot.caption) + "</figcaption>\n</figure>\n";
}

void Writer::addSection(const Section &section) {
  if (!section.title.empty()) {
    markdown += "## " + section.title + "\n\n";
    html += "<h2>" + escapeXml(section.title) + "</h2>\n";
  }
  addText(section.text);
  addTable(compareTable(section.groups), "");
  for (const Breakdown &breakdown : breakdownsOf(section.groups))
    addTable(breakdownTable(section.groups, breakdown), "");
  addText(tableLegend(section.groups));
  const std::filesystem::path file = section.plotFile;
  for (const Plot &plot : plotsOf(section.groups))
    addPlot(plot, plot.name.empty() ? file.string() : file.stem().string() + "-" + plot.name + ".svg");
  if (Table differences = differencesTable(section.groups); differences.header.size() > 1)
    addTable(differences, "Settings that differ:");
}

void Writer::finish() {
  writeFile(folder / "report.md", markdown);
  writeFile(folder / "report.html", html + "</html>\n");
}

std::vector<std::string> writeReport(const Report &report, const std::filesystem::path &folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw Error("cannot make the folder '" + folder.string() + "': " + failure.message());
  Writer writer(report, folder);
  for (const Section &section : report.sections)
    writer.addSection(section);
  writer.finish();
  return writer.plots;
}

} // namespace stretto::runtime
