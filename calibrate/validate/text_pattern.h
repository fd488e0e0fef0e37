#pragma once
// Matching the prose of measurement tables ("A100-SXM4-80GB", "8x HDR200 IB") with plain patterns.
#include <string>
#include <string_view>

namespace dsim {

/// Lower case, every run of other characters than letters and digits one blank, a blank at each
/// end: "A100-SXM4-80GB" -> " a100 sxm4 80gb ". Empty text stays empty.
std::string normalised(std::string_view text);

/// True if every word of the pattern occurs in the text. A word is a sequence of whole tokens
/// joined by
/// '-' ("dgx-a100" finds "DGX A100" and "(DGX-A100)"), 'a|b' means either, '!a' means absent, '=a'
/// means that the whole text is a. An empty pattern matches everything.
bool matches(std::string_view text, std::string_view pattern);

}  // namespace dsim
