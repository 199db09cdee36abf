// Which image of a program's kernels a GPU can run.
#include "runtime/device/cuda/images.h"

#include <gtest/gtest.h>
#include <vector>

using namespace stretto;
using namespace stretto::runtime;

namespace {

stretto_image image(stretto_image_kind kind, const char *architecture) { return {kind, 0, architecture, "", 0}; }
stretto_image cubin(const char *architecture) { return image(STRETTO_IMAGE_CUBIN, architecture); }
stretto_image ptx(const char *architecture) { return image(STRETTO_IMAGE_PTX, architecture); }

const std::vector<stretto_image> usual = {cubin("sm_90a"), cubin("sm_80"), ptx("compute_80")};

std::string chosen(Capability device) {
  const stretto_image *image = chooseImage(usual, device);
  return image ? image->architecture : "none";
}

} // namespace

TEST(Images, MachineCodeIsForItsArchitectureAlone) {
  EXPECT_EQ(chosen({9, 0}), "sm_90a");
  EXPECT_EQ(chosen({8, 0}), "sm_80");
  EXPECT_FALSE(takesImage({8, 6}, cubin("sm_80")));
  EXPECT_FALSE(takesImage({10, 0}, cubin("sm_90a")));
}

TEST(Images, TextIsForNewerDevicesToo) {
  EXPECT_EQ(chosen({8, 6}), "compute_80");
  EXPECT_EQ(chosen({10, 0}), "compute_80");
  EXPECT_EQ(chosen({12, 1}), "compute_80");
  EXPECT_EQ(chosen({7, 5}), "none");
}

TEST(Images, TextWithASuffixIsForNoOther) {
  EXPECT_TRUE(takesImage({9, 0}, ptx("sm_90a")));
  EXPECT_FALSE(takesImage({10, 0}, ptx("sm_90a")));
  EXPECT_FALSE(takesImage({12, 0}, ptx("sm_100f")));
}

TEST(Images, TheFirstThatFitsIsTaken) {
  const std::vector<stretto_image> both = {ptx("sm_80"), cubin("sm_90a")};
  EXPECT_EQ(chooseImage(both, {9, 0}), &both[0]);
  EXPECT_EQ(chooseImage({}, {9, 0}), nullptr);
}

TEST(Images, NamesWithoutAMeaningFitNothing) {
  for (const char *name : {"", "sm", "sm_", "gfx90a", "sm_x"})
    EXPECT_FALSE(takesImage({9, 0}, cubin(name))) << name;
}

TEST(Images, TheMessageNamesProgramAndDevice) {
  EXPECT_EQ(
      noImageMessage(usual, "Tesla T4", {7, 5}),
      "the program must have code for the device, Tesla T4 (sm_75), but has code for sm_90a, sm_80, compute_80 and "
      "newer; programs run on devices of sm_80 and newer alone");
  EXPECT_NE(noImageMessage({}, "X", {9, 0})
                .find("has code for none; compile it again: stretto compile SPEC "
                      "--target=cuda --chip=sm_90a"),
            std::string::npos);
  EXPECT_NE(noImageMessage({}, "X", {12, 0}).find("--chip=sm_120"), std::string::npos);
}
