#pragma once
// Line charts as SVG. Written by hand: the chart libraries of Debian (plplot, gnuplot, VTK) draw
// neither bands nor direct labels in this look, and cost more to bend than these two hundred lines.
// The file brings its own background, light or dark as the viewer prefers.
#include <optional>
#include <string>
#include <vector>

#include "model/plot/axis.h"

namespace dsim {

// Okabe and Ito's colours for the colour-blind; the same meaning has the same one everywhere.
inline constexpr const char* compute_colour = "#0072B2";
inline constexpr const char* communication_colour = "#E69F00";
inline constexpr const char* optimizer_colour = "#009E73";
inline constexpr const char* data_colour = "#56B4E9";
inline constexpr const char* idle_colour = "#999999";

/// line: simulated, joined by a line, with a band where intervals are known. ideal: thin and
/// dashed, without points. measured: hollow circles.
enum class SeriesStyle { line, ideal, measured };

struct ChartPoint {
  double x = 0, y = 0;
  std::optional<double> low, high;  ///< interval
  std::string tip;                  ///< shown when the pointer rests on the point
};

struct Series {
  std::string label;  ///< written at the end of the line
  const char* colour = compute_colour;
  SeriesStyle style = SeriesStyle::line;
  std::vector<ChartPoint> points;
};

/// A vertical line where something changes, with words at its top.
struct Mark {
  double x = 0;
  std::string text;
};

/// One chart; points outside the axes are not drawn.
struct Panel {
  Axis x, y;
  std::vector<Series> series;
  std::vector<Mark> marks = {};
};

/// Panels side by side under a title.
struct Figure {
  std::string title, subtitle;
  std::vector<Panel> panels;
};

std::string figure_svg(const Figure& figure);

}  // namespace dsim
