#pragma once
struct Implicit {};  // begins with, but is not, an empty name
namespace commonality {}
