// The table that puts groups of runs side by side.
#include "runtime/runs/table.h"

#include "runtime/runs/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stretto::runtime {

// "mean ± half (low to high)"; without `interval` only mean and range. Where runs lack the figure, how many have it.
static std::string rangeText(const Figure &figure, int decimals, bool interval) {
  auto number = [&](double value) { return fmt::format("{:.{}f}", value, decimals); };
  if (figure.values.empty())
    return "-";
  std::string mean = number(figure.mean());
  const std::string count =
      figure.values.size() == figure.runs ? "" : fmt::format("{} of {} runs", figure.values.size(), figure.runs);
  if (figure.values.size() == 1)
    return count.empty() ? mean : fmt::format("{}\t({})", mean, count);
  if (interval)
    mean += " ± " + number(figure.half());
  return fmt::format("{}\t({} to {}{}{})", mean, number(figure.low()), number(figure.high()), count.empty() ? "" : "; ",
                     count);
}

// Decimals of a metric's column: of a number without a rule of its own as many as show four digits of the largest.
static int decimalsOf(std::span<const RunGroup> groups, const std::string &metric, const std::string &unit) {
  if (isLoss(metric))
    return 4;
  if (unit == "%")
    return 1;
  double largest = 0;
  for (const RunGroup &group : groups)
    for (double value : finalFigure(group, metric).values)
      largest = std::max(largest, std::abs(value));
  return largest > 0 ? std::clamp(3 - int(std::floor(std::log10(largest))), 0, 9) : 0;
}

static std::string stepsText(const RunGroup &group) {
  auto [low, high] = std::minmax_element(group.runs.begin(), group.runs.end(),
                                         [](const Run &a, const Run &b) { return a.lastStep() < b.lastStep(); });
  if (low->lastStep() == high->lastStep())
    return std::to_string(low->lastStep());
  return fmt::format("{} to {}", low->lastStep(), high->lastStep());
}

// The columns of choices, in order of first mention.
static std::vector<std::string> choicesOf(std::span<const RunGroup> groups) {
  std::vector<std::string> names;
  for (const RunGroup &group : groups)
    for (const auto &[name, value] : group.choices)
      if (std::ranges::find(names, name) == names.end())
        names.push_back(name);
  return names;
}

static std::string choiceText(const RunGroup &group, const std::string &name) {
  for (const auto &[given, value] : group.choices)
    if (given == name)
      return value;
  return "-";
}

// The number of parameters of each group ("varies" within one, "-" where unknown); empty where all are the same.
static std::vector<std::string> sizesOf(std::span<const RunGroup> groups) {
  std::vector<std::string> sizes;
  for (const RunGroup &group : groups) {
    std::set<std::string> own;
    for (const Run &run : group.runs) {
      const std::optional<int64_t> count = parameterCount(run.folder);
      own.insert(count ? std::to_string(*count) : "-");
    }
    sizes.push_back(own.size() == 1 ? *own.begin() : "varies");
  }
  const bool same = std::ranges::all_of(sizes, [&](const std::string &size) { return size == sizes[0]; });
  return same ? std::vector<std::string>() : sizes;
}

// Those of the main table: of breakdowns the headline of each group alone; scores that no group has are left out.
static std::vector<std::string> mainMetrics(std::span<const RunGroup> groups) {
  std::vector<std::string> metrics = metricsOf(groups);
  std::set<std::string> headlines;
  for (const RunGroup &group : groups)
    headlines.insert(headlineOf({&group, 1}));
  const auto leaveOut = [&](const std::string &metric) {
    if (!headlines.contains(metric))
      std::erase(metrics, metric);
  };
  for (const Breakdown &breakdown : breakdownsOf(groups))
    for (const Breakdown::Column &column : breakdown.columns)
      leaveOut(column.metric);
  for (const std::string &metric : metricsOf(groups))
    if (!isLoss(metric) && !isShown(groups, metric))
      leaveOut(metric);
  return metrics;
}

static std::string columnName(const std::string &metric, const std::string &unit) {
  return unit.empty() ? metric : metric + "\t" + unit;
}

Table compareTable(std::span<const RunGroup> groups) {
  const std::vector<std::string> metrics = mainMetrics(groups), choices = choicesOf(groups), sizes = sizesOf(groups);
  Table table{{"run"}, {}};
  table.header.insert(table.header.end(), choices.begin(), choices.end());
  if (!sizes.empty())
    table.header.push_back("parameters");
  table.header.insert(table.header.end(), {"runs", "steps"});
  for (const std::string &metric : metrics)
    table.header.push_back(columnName(metric, unitOf(groups, metric)));
  table.header.push_back("tokens/s");
  for (size_t g = 0; g < groups.size(); ++g) {
    const RunGroup &group = groups[g];
    std::vector<std::string> row{group.label};
    for (const std::string &name : choices)
      row.push_back(choiceText(group, name));
    if (!sizes.empty())
      row.push_back(sizes[g]);
    row.insert(row.end(), {std::to_string(group.runs.size()), stepsText(group)});
    for (const std::string &metric : metrics)
      row.push_back(rangeText(finalFigure(group, metric), decimalsOf(groups, metric, unitOf(groups, metric)), true));
    row.push_back(rangeText(speedFigure(group), 0, false));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table breakdownTable(std::span<const RunGroup> groups, const Breakdown &breakdown) {
  const std::string unit = unitOf(groups, breakdown.columns[0].metric);
  Table table{{columnName(breakdown.title, unit)}, {}};
  int decimals = 9;
  for (const Breakdown::Column &column : breakdown.columns) {
    table.header.push_back(column.name);
    decimals = std::min(decimals, decimalsOf(groups, column.metric, unit));
  }
  for (const RunGroup &group : groups) {
    table.rows.push_back({group.label});
    for (const Breakdown::Column &column : breakdown.columns)
      table.rows.back().push_back(rangeText(finalFigure(group, column.metric), decimals, true));
  }
  return table;
}

std::string tableLegend(std::span<const RunGroup> groups) {
  const bool several = std::ranges::any_of(groups, [](const RunGroup &group) { return group.runs.size() > 1; });
  return several ? "Of several runs: the mean ± half of its 95 % interval (Student's t over the runs), in brackets the "
                   "lowest "
                   "and the highest."
                 : "";
}

static bool isControl(char c) { return uint8_t(c) < 0x20 || c == 0x7f; }

// A cell in one line.
static std::string flat(std::string cell) {
  std::ranges::replace_if(cell, isControl, ' ');
  return cell;
}

// The number of characters (UTF-8 continuation bytes left out).
static size_t width(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string plainTable(const Table &table) {
  std::vector<size_t> widths;
  for (const std::string &cell : table.header)
    widths.push_back(width(cell)); // a tab is as wide as the space it becomes
  for (const auto &row : table.rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  auto line = [&](const std::vector<std::string> &cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string gap(widths[i] - width(cells[i]), ' ');
      text += i == 0 ? flat(cells[i]) + gap : "  " + gap + flat(cells[i]);
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
      for (char c : flat(cell))
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

static std::string htmlCell(const std::string &cell, const std::string &tag) {
  const size_t tab = std::min(cell.find('\t'), cell.size());
  const std::string remark = tab == cell.size() ? "" : "<br><small>" + escapeXml(cell.substr(tab + 1)) + "</small>";
  return "<" + tag + ">" + escapeXml(cell.substr(0, tab)) + remark + "</" + tag + ">";
}

std::string htmlTable(const Table &table) {
  std::string text = "<table>\n<tr>";
  for (const std::string &cell : table.header)
    text += htmlCell(cell, "th");
  text += "</tr>\n";
  for (const auto &row : table.rows) {
    text += "<tr>";
    for (const std::string &cell : row)
      text += htmlCell(cell, "td");
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string escapeXml(const std::string &text) {
  std::string escaped;
  for (char c : text)
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += isControl(c) && c != '\n' && c != '\t' ? ' ' : c;
    }
  return escaped;
}

} // namespace stretto::runtime
