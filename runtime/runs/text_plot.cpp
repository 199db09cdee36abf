// Curves as text, for terminals.
#include "runtime/runs/text_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stretto::runtime {

namespace {

// Dots, 2 columns by 4 rows in a character; a character has the colour of the curve drawn last in it.
class Canvas {
public:
  Canvas(int columns, int rows)
      : columns(columns), rows(rows), dots(columns * rows, 0), owner(columns * rows, -1), letters(columns * rows, 0) {}

  int width() const { return 2 * columns; }
  int height() const { return 4 * rows; }

  void dot(int x, int y, int curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height())
      return;
    static constexpr uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int at = y / 4 * columns + x / 2;
    dots[at] |= bits[y % 4][x % 2];
    owner[at] = curve;
  }

  void line(double x0, double y0, double x1, double y1, int curve) {
    int steps = std::max(1, int(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0)))));
    for (int i = 0; i <= steps; ++i) {
      double t = double(i) / steps;
      dot(int(std::lround(x0 + t * (x1 - x0))), int(std::lround(y0 + t * (y1 - y0))), curve);
    }
  }

  // Puts a letter over the dots of a character.
  void letter(double x, double y, char text) {
    int column = int(std::lround(x)) / 2, row = int(std::lround(y)) / 4;
    if (x >= 0 && y >= 0 && column < columns && row < rows)
      letters[row * columns + column] = text;
  }

  // One row of characters.
  std::string row(int r, bool colour) const;

private:
  int columns, rows;
  std::vector<uint8_t> dots;
  std::vector<int> owner;
  std::string letters; // 0: none
};

} // namespace

// Terminal colours that are told apart on light and dark backgrounds, also by the colour-blind.
static std::string coloured(const std::string &text, int curve) {
  static constexpr int codes[] = {33, 208, 37, 133, 142, 167};
  return fmt::format("\033[38;5;{}m{}\033[0m", codes[size_t(curve) % std::size(codes)], text);
}

std::string Canvas::row(int r, bool colour) const {
  std::string text;
  for (int c = 0; c < columns; ++c) {
    int at = r * columns + c;
    if (letters[at] || !dots[at]) {
      text += letters[at] ? letters[at] : ' ';
      continue;
    }
    // U+2800 + dots in UTF-8.
    std::string cell{char(0xE2), char(0xA0 + (dots[at] >> 6)), char(0x80 + (dots[at] & 0x3F))};
    text += colour ? coloured(cell, owner[at]) : cell;
  }
  return text;
}

static void drawCurve(Canvas &canvas, const TextPlot &plot, const std::vector<Point> &points, int curve) {
  double xScale = (canvas.width() - 1) / plot.xMax, yScale = (canvas.height() - 1) / (plot.yMax - plot.yMin);
  auto x = [&](const Point &point) { return point.step * xScale; };
  auto y = [&](const Point &point) { return canvas.height() - 1 - (point.value - plot.yMin) * yScale; };
  for (size_t i = 0; i < points.size(); ++i) {
    const Point &from = points[i ? i - 1 : 0];
    canvas.line(x(from), y(from), x(points[i]), y(points[i]), curve);
  }
  if (!plot.colour && !points.empty())
    canvas.letter(x(points.back()), y(points.back()), char('a' + curve % 26));
}

std::string drawText(const TextPlot &plot, std::span<const TextCurve> curves) {
  Canvas canvas(plot.columns, plot.rows);
  for (size_t i = 0; i < curves.size(); ++i)
    drawCurve(canvas, plot, curves[i].points, int(i));
  std::string text = plot.title + "\n";
  for (int r = 0; r < plot.rows; ++r) {
    std::string tick;
    if (r == 0 || r == plot.rows - 1)
      tick = fmt::format("{:.4g}", r == 0 ? plot.yMax : plot.yMin);
    text += fmt::format("{:>6} |{}\n", tick, canvas.row(r, plot.colour));
  }
  text += fmt::format("{:>6} +{}\n{:>8}{:>{}}\n", "", std::string(size_t(plot.columns), '-'), "0",
                      fmt::format("step {:.0f}", plot.xMax), plot.columns);
  for (size_t i = 0; i < curves.size(); ++i) {
    std::string mark = plot.colour ? coloured("\u2501\u2501", int(i)) : std::string(1, char('a' + i % 26));
    std::string value =
        curves[i].points.empty() ? "-" : fmt::format("{:.4g}{}", curves[i].points.back().value, plot.unit);
    text += fmt::format("        {} {}: {}\n", mark, curves[i].label, value);
  }
  return text;
}

} // namespace stretto::runtime
