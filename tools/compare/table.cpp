#include "tools/compare/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace stretto {

static std::string rangeText(const Figure &figure, const char *format) {
  auto number = [&](double value) { return fmt::format(fmt::runtime(format), value); };
  if (figure.values.empty())
    return "-";
  std::string mean = number(figure.mean());
  if (figure.values.size() == 1)
    return mean;
  return fmt::format("{} ({} to {})", mean, number(figure.low()), number(figure.high()));
}

static std::string stepsText(const Group &group) {
  auto [low, high] = std::minmax_element(group.runs.begin(), group.runs.end(),
                                         [](const Run &a, const Run &b) { return a.lastStep() < b.lastStep(); });
  if (low->lastStep() == high->lastStep())
    return std::to_string(low->lastStep());
  return fmt::format("{} to {}", low->lastStep(), high->lastStep());
}

Table compareTable(std::span<const Group> groups) {
  Table table;
  std::vector<std::string> metrics = metricsOf(groups);
  table.header = {"run", "runs", "steps"};
  for (const std::string &metric : metrics)
    table.header.push_back(isLoss(metric) ? metric : metric + " %");
  table.header.push_back("tokens/s");
  for (const Group &group : groups) {
    std::vector<std::string> row{group.label, std::to_string(group.runs.size()), stepsText(group)};
    for (const std::string &metric : metrics)
      row.push_back(rangeText(finalFigure(group, metric), isLoss(metric) ? "{:.4f}" : "{:.1f}"));
    row.push_back(rangeText(speedFigure(group), "{:.0f}"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The number of characters (UTF-8 continuation bytes left out).
static size_t width(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string plainTable(const Table &table) {
  std::vector<size_t> widths;
  for (const std::string &cell : table.header)
    widths.push_back(width(cell));
  for (const auto &row : table.rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  auto line = [&](const std::vector<std::string> &cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string gap(widths[i] - width(cells[i]), ' ');
      text += i == 0 ? cells[i] + gap : "  " + gap + cells[i];
    }
    text += '\n';
  };
  line(table.header);
  for (const auto &row : table.rows)
    line(row);
  return text;
}

std::string markdownTable(const Table &table) {
  std::string text;
  auto line = [&](const std::vector<std::string> &cells) {
    for (const std::string &cell : cells) {
      std::string escaped;
      for (char c : cell)
        escaped += c == '|' ? "\\|" : std::string(1, c);
      text += "| " + escaped + " ";
    }
    text += "|\n";
  };
  line(table.header);
  text += "|---";
  for (size_t i = 1; i < table.header.size(); ++i)
    text += "|---:";
  text += "|\n";
  for (const auto &row : table.rows)
    line(row);
  return text;
}

std::string htmlTable(const Table &table) {
  std::string text = "<table>\n<tr>";
  for (const std::string &cell : table.header)
    text += "<th>" + escapeXml(cell) + "</th>";
  text += "</tr>\n";
  for (const auto &row : table.rows) {
    text += "<tr>";
    for (const std::string &cell : row)
      text += "<td>" + escapeXml(cell) + "</td>";
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string escapeXml(const std::string &text) {
  std::string escaped;
  for (char c : text)
    switch (c) {
    case '&': escaped += "&amp;"; break;
    case '<': escaped += "&lt;"; break;
    case '>': escaped += "&gt;"; break;
    case '"': escaped += "&quot;"; break;
    default: escaped += c;
    }
  return escaped;
}

} // namespace stretto
