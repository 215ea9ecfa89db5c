#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FieldTransformer {
    /// The transformer of a type that brings its own form; nil for other types.
    ///
    /// The types that most fields have are told by a comparison. For the others the conformance is
    /// looked for once: that takes microseconds.
    static func standard() -> FieldTransformer? {
        // The comparison proves that the types are one.
        if Value.self == String.self { return unsafeBitCast(Known.string, to: Self.self) }
        if Value.self == Int.self { return unsafeBitCast(Known.int, to: Self.self) }
        if Value.self == Double.self { return unsafeBitCast(Known.double, to: Self.self) }
        if Value.self == Bool.self { return unsafeBitCast(Known.bool, to: Self.self) }
        if Value.self == Date.self { return unsafeBitCast(Known.date, to: Self.self) }
        if Value.self == [String].self { return unsafeBitCast(Known.strings, to: Self.self) }
        return TransformerCache.shared.transformer(of: Value.self)
    }
}

private enum Known {
    static let string = FieldTransformer<String>.convertible
    static let int = FieldTransformer<Int>.convertible
    static let double = FieldTransformer<Double>.convertible
    static let bool = FieldTransformer<Bool>.convertible
    static let date = FieldTransformer<Date>.convertible
    static let strings = FieldTransformer<[String]>.array(of: string)
}

/// The transformers of types that were asked for.
// Safe: the dictionary is guarded by the lock.
private final class TransformerCache: @unchecked Sendable {
    static let shared = TransformerCache()

    private let lock = Lock()
    private var transformers: [ObjectIdentifier: AnyObject] = [:]

    func transformer<Value>(of type: Value.Type) -> FieldTransformer<Value>? {
        let key = ObjectIdentifier(type)
        if let known = lock.withLock({ transformers[key] }) {
            // Kept under its own type below.
            return unsafeDowncast(known, to: Box<FieldTransformer<Value>?>.self).content
        }
        let made = (type as? any AttributeConvertible.Type).flatMap { Self.make($0, for: type) }
        // Never replaced, so that nothing is released under the lock.
        lock.withLock { if transformers[key] == nil { transformers[key] = Box(content: made) } }
        return made
    }

    private static func make<Known: AttributeConvertible, Value>(
        _ known: Known.Type,
        for type: Value.Type
    ) -> FieldTransformer<Value>? {
        if let array = type as? any ConvertibleArray.Type {
            return array.transformer as? FieldTransformer<Value>
        }
        return FieldTransformer<Known>.convertible as? FieldTransformer<Value>
    }

    private final class Box<Content: Sendable>: Sendable {
        let content: Content
        init(content: Content) { self.content = content }
    }
}

/// An array of a type that brings its own form: each element is read on its own, so that all that is
/// wrong is told.
private protocol ConvertibleArray {
    static var transformer: any Sendable { get }
}

extension Array: ConvertibleArray where Element: AttributeConvertible {
    fileprivate static var transformer: any Sendable {
        FieldTransformer<[Element]>.array(of: FieldTransformer<Element>.standard() ?? .convertible)
    }
}
