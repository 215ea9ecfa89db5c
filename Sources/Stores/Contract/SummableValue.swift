public import ModelKitEssentials
public import ModelKitFields

/// A number that stores add up.
///
/// A type of your own is one where its attribute values are numbers of the kinds `.int`, `.unsigned`, `.double` or
/// `.decimal`, and their sum is one, too:
///
/// ```swift
/// extension Cents: SummableValue {}
/// ```
public protocol SummableValue: AttributeConvertible, Equatable {
    /// What sums are.
    associatedtype Sum: AttributeConvertible & Equatable = Self
    /// What averages are.
    associatedtype Average: AttributeConvertible & Equatable = Double
}

extension Int: SummableValue {}
extension Int64: SummableValue {}
extension UInt: SummableValue {}
extension UInt64: SummableValue {}
extension Double: SummableValue {}
extension Int8: SummableValue { public typealias Sum = Int }
extension Int16: SummableValue { public typealias Sum = Int }
extension Int32: SummableValue { public typealias Sum = Int }
extension UInt8: SummableValue { public typealias Sum = Int }
extension UInt16: SummableValue { public typealias Sum = Int }
extension UInt32: SummableValue { public typealias Sum = Int }
extension Float: SummableValue { public typealias Sum = Double }
extension Decimal: SummableValue { public typealias Average = Decimal }
