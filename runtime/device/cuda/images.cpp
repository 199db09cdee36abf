// Which of a program's device images a device takes.
#include "runtime/device/cuda/images.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

// "sm_90a" or "compute_90a" taken apart; major: 0 where it is neither.
struct Architecture {
  Capability capability;
  bool suffix = false;
};

Architecture parse(const char *name) {
  const char *digits = std::strchr(name, '_');
  if (!digits || !std::isdigit(static_cast<unsigned char>(digits[1])))
    return {};
  char *end = nullptr;
  const int number = static_cast<int>(std::strtol(digits + 1, &end, 10));
  return {{number / 10, number % 10}, *end != '\0'};
}

} // namespace

bool takesImage(Capability device, const stretto_image &image) {
  const Architecture made = parse(image.architecture);
  if (made.capability.major == 0)
    return false;
  const bool exactly = image.kind == STRETTO_IMAGE_CUBIN || made.suffix;
  return exactly ? device == made.capability : image.kind == STRETTO_IMAGE_PTX && device >= made.capability;
}

const stretto_image *chooseImage(std::span<const stretto_image> images, Capability device) {
  for (const stretto_image &image : images)
    if (takesImage(device, image))
      return &image;
  return nullptr;
}

std::string architectureName(Capability device) { return fmt::format("sm_{}{}", device.major, device.minor); }

std::string compileAdvice(Capability device) {
  if (device.major < 8)
    return "programs run on devices of sm_80 and newer alone";
  const bool isHopper = device.major == 9 && device.minor == 0;
  return fmt::format("compile it again: stretto compile SPEC --target=cuda --chip={}{}", architectureName(device),
                     isHopper ? "a" : "");
}

std::string noImageMessage(std::span<const stretto_image> images, const std::string &deviceName, Capability device) {
  std::string list;
  for (const stretto_image &image : images) {
    const bool alone = image.kind == STRETTO_IMAGE_CUBIN || parse(image.architecture).suffix;
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", image.architecture, alone ? "" : " and newer");
  }
  return fmt::format("the program must have code for the device, {} ({}), but has code for {}; {}", deviceName,
                     architectureName(device), list.empty() ? "none" : list, compileAdvice(device));
}

} // namespace stretto::runtime
