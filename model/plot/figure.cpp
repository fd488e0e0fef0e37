#include "model/plot/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace dsim {
namespace {

// Pixels.
constexpr double panel_width = 480, panel_height = 340;
constexpr double left = 68, right = 104, top = 16, bottom = 52;  // around the plot of a panel
constexpr double header_height = 56;
constexpr double character = 6.7;  // mean width at 12 px
constexpr double label_height = 15;
constexpr double mark_row = 112;  // longer than the words of a mark

constexpr std::string_view style = R"(<style>
  text { font: 12px system-ui, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; fill: #222222; }
  .title { font-size: 16px; font-weight: 600; }
  .quiet { fill: #595959; }
  .paper { fill: #ffffff; }
  .grid { stroke: #e3e3e3; stroke-width: 1; }
  .axis { stroke: #8c8c8c; stroke-width: 1; fill: none; }
  .ideal { stroke: #8c8c8c; stroke-width: 1; stroke-dasharray: 5 4; fill: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e6e6; }
    .quiet { fill: #a6a6a6; }
    .paper { fill: #1c1c1c; }
    .grid { stroke: #383838; }
  }
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
  }
  return result;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// The text, or its beginning and an ellipsis if it is longer than `most` characters.
std::string shortened(std::string_view text, std::size_t most) {
  if (characters(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++count == most) break;
  return std::string(text.substr(0, end)) + "…";
}

/// Draws one panel with its upper left corner at (x0, y0).
class PanelWriter {
 public:
  PanelWriter(const Panel& panel, double x0, double y0, int index, std::string& out)
      : panel_(panel), x0_(x0 + left), y0_(y0 + top), index_(index), out_(out) {}

  void write() {
    ticks_x();
    ticks_y();
    put(R"(<path class="axis" d="M{:.1f} {:.1f}V{:.1f}H{:.1f}"/>)", x0_, y0_, y0_ + height_,
        x0_ + width_);
    put(R"(<clipPath id="plot{}"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/></clipPath>)",
        index_, x0_ - 6, y0_ - 6, width_ + 12, height_ + 12);
    marks();
    put(R"svg(<g clip-path="url(#plot{})">)svg", index_);
    for (const Series& series : panel_.series) band(series);
    for (const Series& series : panel_.series) line(series);
    for (const Series& series : panel_.series) circles(series);
    put("</g>");
    labels();
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    out_ += '\n';
  }
  double x(double value) const { return x0_ + width_ * panel_.x.position(value); }
  double y(double value) const { return y0_ + height_ * (1 - panel_.y.position(value)); }
  /// Values outside the axis are drawn on its border (a logarithm of 0 would be nowhere).
  double y_inside(double value) const { return y(std::clamp(value, panel_.y.low, panel_.y.high)); }

  void ticks_x() {
    double free_from = -1e9;  // labels that would touch the one before are left out
    for (const Tick& tick : panel_.x.ticks) {
      const double at = x(tick.value);
      put(R"(<path class="axis" d="M{:.1f} {:.1f}v5"/>)", at, y0_ + height_);
      const double half = character * static_cast<double>(characters(tick.text)) / 2;
      if (at - half < free_from) continue;
      free_from = at + half + 6;
      put(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", at, y0_ + height_ + 19,
          escaped(tick.text));
    }
    put(R"(<text class="quiet" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
        x0_ + width_ / 2, y0_ + height_ + 40, escaped(panel_.x.label));
  }

  void ticks_y() {
    for (const Tick& tick : panel_.y.ticks) {
      const double at = y(tick.value);
      put(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", x0_, at, width_);
      put(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", x0_ - 8, at + 4,
          escaped(tick.text));
    }
    const double middle = y0_ + height_ / 2;
    put(R"svg(<text class="quiet" transform="translate({:.1f} {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg",
        x0_ - left + 14, middle, escaped(panel_.y.label));
  }

  /// Words stand along the line, from its top down. Those that would touch those before go one row
  /// down; where both rows are taken, only the line is drawn.
  void marks() {
    std::array<double, 2> taken{-1e9, -1e9};  // x of the last words of a row
    for (const Mark& mark : panel_.marks) {
      const double at = x(mark.x);
      const auto row = std::find_if(taken.begin(), taken.end(),
                                    [&](double last) { return at - last >= label_height; });
      vertical(mark, row == taken.end() ? -1 : static_cast<int>(row - taken.begin()));
      if (row != taken.end()) *row = at;
    }
  }

  void vertical(const Mark& mark, int row) {
    const double at = x(mark.x);
    put(R"(<path class="ideal" d="M{:.1f} {:.1f}v{:.1f}"/>)", at, y0_, height_);
    if (row < 0) return;
    put(R"svg(<text class="quiet" transform="translate({:.1f} {:.1f}) rotate(-90)" text-anchor="end">{}</text>)svg",
        at - 4, y0_ + 2 + mark_row * row, escaped(mark.text));
  }

  void band(const Series& series) {
    std::string upper, lower;
    for (const ChartPoint& point : series.points) {
      if (!point.low || !point.high) return;
      upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", x(point.x),
                           y_inside(*point.high));
      lower.insert(0, fmt::format("L{:.1f} {:.1f}", x(point.x), y_inside(*point.low)));
    }
    if (series.points.size() < 2) return;
    put(R"(<path fill="{}" fill-opacity="0.18" d="{}{}Z"/>)", series.colour, upper, lower);
  }

  void line(const Series& series) {
    if (series.style == SeriesStyle::measured || series.points.size() < 2) return;
    std::string path;
    for (const ChartPoint& point : series.points)
      path +=
          fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.x), y_inside(point.y));
    if (series.style == SeriesStyle::ideal)
      put(R"(<path class="ideal" d="{}"/>)", path);
    else
      put(R"(<path fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round" d="{}"/>)",
          series.colour, path);
  }

  void circles(const Series& series) {
    if (series.style == SeriesStyle::ideal) return;
    for (const ChartPoint& point : series.points) {
      const bool hollow = series.style == SeriesStyle::measured;
      put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" {}><title>{}</title></circle>)", x(point.x),
          y_inside(point.y), hollow ? 4.5 : 3.5,
          hollow ? fmt::format(R"(fill="none" stroke-width="1.5" stroke="{}")", series.colour)
                 : fmt::format(R"(fill="{}")", series.colour),
          escaped(point.tip));
    }
  }

  /// Labels at the ends of their lines, moved apart where they would touch.
  void labels() {
    struct Label {
      const Series* series;
      double at;
    };
    std::vector<Label> labels;
    for (const Series& series : panel_.series)
      if (!series.points.empty() && !series.label.empty())
        labels.push_back({&series, y_inside(series.points.back().y)});
    std::stable_sort(labels.begin(), labels.end(),
                     [](const Label& a, const Label& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < labels.size(); ++i)
      labels[i].at = std::max(labels[i].at, labels[i - 1].at + label_height);
    double floor = y0_ + height_;
    for (std::size_t i = labels.size(); i-- > 0;) {
      labels[i].at = std::min(labels[i].at, floor);
      floor = labels[i].at - label_height;
    }
    double column = x0_;  // labels stand in one column, beside the longest series
    for (const Label& label : labels) column = std::max(column, x(label.series->points.back().x));
    for (const Label& label : labels) {
      const std::string_view mark = label.series->style == SeriesStyle::ideal ? "" : "●";
      put(R"(<text x="{:.1f}" y="{:.1f}"><tspan style="fill:{}">{}</tspan>{}{}</text>)",
          column + 10, label.at + 4, label.series->colour, mark, mark.empty() ? "" : " ",
          escaped(label.series->label));
    }
  }

  const Panel& panel_;
  const double x0_, y0_;
  const double width_ = panel_width - left - right, height_ = panel_height - top - bottom;
  const int index_;
  std::string& out_;
};

}  // namespace

std::string figure_svg(const Figure& figure) {
  const double width =
      panel_width * static_cast<double>(std::max<std::size_t>(figure.panels.size(), 1));
  const double height = header_height + panel_height;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect class=\"paper\" width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"4\"/>\n",
      width, height, escaped(figure.title), style);
  const auto most = static_cast<std::size_t>((width - 32) / character);
  out += fmt::format("<text class=\"title\" x=\"16\" y=\"26\">{}</text>\n",
                     escaped(shortened(figure.title, most * 12 / 17)));
  out += fmt::format("<text class=\"quiet\" x=\"16\" y=\"45\">{}</text>\n",
                     escaped(shortened(figure.subtitle, most)));
  for (std::size_t i = 0; i < figure.panels.size(); ++i)
    PanelWriter(figure.panels[i], panel_width * static_cast<double>(i), header_height,
                static_cast<int>(i), out)
        .write();
  return out + "</svg>\n";
}

}  // namespace dsim
