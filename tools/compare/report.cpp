#include "tools/compare/report.h"

#include "tools/compare/differences.h"
#include "tools/compare/svg_plot.h"
#include "tools/compare/table.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace stretto {

static void writeFile(const std::filesystem::path &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw Error("cannot write '" + path.string() + "': " + std::strerror(errno));
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
         background: var(--surface); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
  th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
  th:first-child, td:first-child { text-align: left }
  svg { max-width: 100%; height: auto }
</style>
)";
}

void writeReport(const Report &report, const std::filesystem::path &folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw Error("cannot make the folder '" + folder.string() + "': " + failure.message());
  std::string markdown = "# " + report.title + "\n\n";
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" +
                     escapeXml(report.title) + "</title>\n" + page() + "<h1>" + escapeXml(report.title) + "</h1>\n" +
                     htmlParagraphs(report.text);
  if (!report.text.empty())
    markdown += report.text + "\n\n";
  for (const Section &section : report.sections) {
    Table table = compareTable(section.groups);
    std::string plot = svgPlot(section.groups);
    writeFile(folder / section.plotFile, plot);
    if (!section.title.empty()) {
      markdown += "## " + section.title + "\n\n";
      html += "<h2>" + escapeXml(section.title) + "</h2>\n";
    }
    if (!section.text.empty())
      markdown += section.text + "\n\n";
    markdown += markdownTable(table) + "\n![training curves](" + section.plotFile + ")\n\n";
    html += htmlParagraphs(section.text) + htmlTable(table) + plot;
    if (Table differences = differencesTable(section.groups); differences.header.size() > 1) {
      markdown += "Settings that differ:\n\n" + markdownTable(differences) + "\n";
      html += "<p>Settings that differ:</p>\n" + htmlTable(differences);
    }
  }
  writeFile(folder / "report.md", markdown);
  writeFile(folder / "report.html", html + "</html>\n");
}

} // namespace stretto
