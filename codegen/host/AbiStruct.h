//===- AbiStruct.h - structs of the ABI, written field by field ---------------===//
//
// runtime/abi/abi.h is the one description of the structs: the type and place of a field in memory are those of the C++
// member that is set.
//
//   AbiStruct<stretto_copy_args>(context).set(&stretto_copy_args::rows, 8).set(...)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/abi/abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/TypeName.h"

namespace stretto::codegen {

/// The type in LLVM of a number or address that is a `Member` in C.
template <typename Member> mlir::Type abiType(mlir::MLIRContext *context) {
  if constexpr (std::is_pointer_v<Member>)
    return mlir::LLVM::LLVMPointerType::get(context);
  else if constexpr (std::is_same_v<Member, double>)
    return mlir::Float64Type::get(context);
  else {
    static_assert(std::is_integral_v<Member>, "numbers, addresses, and structs and arrays of them are known");
    return mlir::IntegerType::get(context, 8 * sizeof(Member));
  }
}

/// The fields of some struct: constants, and values of the code that is written.
class AbiFields {
public:
  /// The fields in their order, those of structs and arrays in it one by one. Ends the compiler where a byte of the
  /// struct is not set, or is set twice.
  llvm::SmallVector<mlir::OpFoldResult> inOrder() const;

  /// The tensors that lie in the buffers of the struct, by the numbers of the buffers: in the order of the struct. Null
  /// for a buffer that is not there.
  llvm::SmallVector<mlir::Value> tensors() const;

protected:
  AbiFields(mlir::MLIRContext *context, llvm::StringRef name, size_t bytes)
      : context(context), name(name), bytes(bytes) {}

  void add(size_t offset, size_t size, mlir::OpFoldResult value) { fields.push_back({offset, size, value}); }
  /// The fields of a struct that lies in this one.
  void add(size_t offset, const AbiFields &inner);
  /// Ends the compiler where something does not hold.
  void expect(bool holds, const char *otherwise) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<std::pair<size_t, mlir::Value>, 1> places; // offsets of buffers, and their tensors

private:
  struct Field {
    size_t offset, size;
    mlir::OpFoldResult value;
  };
  llvm::StringRef name;
  size_t bytes;
  llvm::SmallVector<Field> fields;
};

template <typename Struct> class AbiStruct : public AbiFields {
  static constexpr bool isBuffer = std::is_same_v<Struct, stretto_buffer>;

public:
  /// A field named `unused` is zero.
  explicit AbiStruct(mlir::MLIRContext *context) : AbiFields(context, llvm::getTypeName<Struct>(), sizeof(Struct)) {
    if constexpr (requires { &Struct::unused; })
      set(&Struct::unused, 0);
    if constexpr (isBuffer)
      places.push_back({0, mlir::Value()});
  }

  template <typename Number>
    requires std::is_arithmetic_v<Number>
  AbiStruct &set(Number Struct::*member, std::type_identity_t<Number> value) {
    add(offsetOf(member), sizeof(Number), constant(value));
    return *this;
  }

  /// A number that is computed, or an address.
  template <typename Member>
    requires std::is_scalar_v<Member>
  AbiStruct &set(Member Struct::*member, mlir::Value value) {
    expect(value.getType() == abiType<Member>(context), "a value has another type than its field");
    add(offsetOf(member), sizeof(Member), value);
    return *this;
  }

  /// The first numbers of an array; the others are zero.
  template <typename Number, size_t count>
  AbiStruct &set(Number (Struct::*member)[count], llvm::ArrayRef<std::type_identity_t<Number>> values) {
    expect(values.size() <= count, "an array has no room for its values");
    for (size_t i = 0; i < count; ++i)
      add(offsetOf(member) + i * sizeof(Number), sizeof(Number), constant<Number>(i < values.size() ? values[i] : 0));
    return *this;
  }

  template <typename Inner>
    requires std::is_class_v<Inner>
  AbiStruct &set(Inner Struct::*member, const AbiStruct<Inner> &inner) {
    add(offsetOf(member), inner);
    return *this;
  }

  /// Says which tensor lies in a buffer.
  AbiStruct &holds(mlir::Value tensor)
    requires isBuffer
  {
    places.front().second = tensor;
    return *this;
  }

private:
  template <typename Number> mlir::TypedAttr constant(Number value) {
    if constexpr (std::is_floating_point_v<Number>)
      return mlir::FloatAttr::get(abiType<Number>(context), value);
    else
      return mlir::IntegerAttr::get(abiType<Number>(context), static_cast<int64_t>(value));
  }

  template <typename Member> static size_t offsetOf(Member Struct::*member) {
    static const Struct sample = {};
    return reinterpret_cast<const char *>(&(sample.*member)) - reinterpret_cast<const char *>(&sample);
  }
};

} // namespace stretto::codegen
