import ModelKitFields

#if canImport(ObjectiveC)
import ObjectiveC
#endif

// How the fields of a model are reached without looking for them each time.
//
// Reflection finds the properties of one instance, which costs microseconds. A stored property of a
// class lies at the same offset in every instance of it, so for each field that reflection found,
// the offset is looked for: the word of the instance that holds this very reference. A second
// instance then has to give the field of the same property at the same offset.
//
// Why this is safe: the words that are read lie in the instance, among the properties of the class that
// declares the field. A field that reflection found is held by one of them, so its offset is among those
// where two instances both hold the field that each has got there. If there is one such word, that is the
// property; bits that are the same by chance, of padding or of a number, make a second one, and
// then the field is reached by reflection each time. An optional property is left out, because
// a `weak` one looks like it and its word holds something else. A field that stands in an optional, a
// struct, a tuple or an enum of the instance, too, could be found there, where other instances may have
// another one: it is reached by reflection each time. So are all fields of a model that brings its own
// mirror, which may show what is not in the instance at all, and a property of the type `Any`, which has the
// type of its value beside it. The properties are `let`s, which a model has to have to be `Sendable`, so
// the word does not change while the model lives. A type that lists its own fields is asked for each. Where
// anything else does not fit (no reflection metadata), the field is reached by reflection, too.
//
// What is not seen: a property of the type `AnyObject`, or of a protocol of classes, that holds a field in two
// models of a class and something else in a third one.

/// How a field of a model is reached.
enum FieldAccess: Sendable {
    /// By its offset in the instance, in bytes.
    case offset(Int)
    /// By reflection each time, by the property's name and how many classes below its own there
    /// are.
    case reflection(String, depth: Int)
    /// By what the type says of itself.
    case declared(@Sendable (AnyObject) -> AnyField?)
    /// It is this one: only one model has it.
    case field(AnyField)

    /// The offset, if it is reached by that.
    var offset: Int? { if case .offset(let offset) = self { offset } else { nil } }

    /// The field at an offset, which lives as long as the model.
    @inline(__always)
    static func field(of model: AnyObject, at offset: Int) -> Unmanaged<AnyField> {
        let base = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
        return .fromOpaque(base.load(fromByteOffset: offset, as: UnsafeRawPointer.self))
    }

    func field(in model: AnyObject) -> AnyField {
        switch self {
        case .offset(let offset): return Self.field(of: model, at: offset).takeUnretainedValue()
        case .field(let field): return field
        case .declared(let find):
            // It was asked before, of other models.
            return find(model) ?? AnyField()
        case .reflection(let name, let depth):
            var mirror: Mirror? = Mirror(reflecting: model)
            for _ in 0..<depth { mirror = mirror?.superclassMirror }
            if let field = mirror?.descendant(name) as? AnyField { return field }
            ModelKitDiagnostics.reportDeclaration(
                "\(type(of: model)) does not reflect its field; it is left out",
                name
            )
            return AnyField()
        }
    }
}

/// The fields among the stored properties of an instance, those of superclasses first.
struct FieldScan {
    struct Property {
        let name: String
        let field: AnyField
        /// How many classes below the one that declares it there are.
        let depth: Int

        var reflection: FieldAccess { .reflection(name, depth: depth) }
    }

    let properties: [Property]
    /// What is wrong with properties, where reflection is to find the fields.
    let problems: [Diagnostic]
    /// The fields that stand in other properties, or in several.
    private let shared: Set<ObjectIdentifier>
    /// The class of the model, and those above it.
    let classes: [Any.Type]
    private let model: AnyObject

    init(of model: AnyObject) {
        self.model = model
        var levels: [[Property]] = []
        var classes: [Any.Type] = []
        var mirror: Mirror? = Mirror(reflecting: model)
        var seen: Set<ObjectIdentifier> = []
        var shared: Set<ObjectIdentifier> = []
        var problems: [Diagnostic] = []
        while let level = mirror {
            let found = level.children.compactMap { child -> Property? in
                guard let name = child.label else { return nil }
                // A cast looks through an optional, which an offset cannot.
                let inner = Mirror(reflecting: child.value)
                if inner.displayStyle != .optional, let field = child.value as? AnyField {
                    return Property(name: name, field: field, depth: levels.count)
                }
                FieldScan.collect(inner, into: &shared)
                if inner.displayStyle != .optional { return nil }
                if (type(of: child.value) as? any AnyOptional.Type)?.wrappedType is AnyField.Type {
                    problems.append(
                        .declaration(
                            "\(type(of: model)) has an optional field; it is left out: "
                                + "declare it as a field, whose value may be nil",
                            name
                        )
                    )
                }
                return nil
            }
            levels.append(found)
            classes.append(level.subjectType)
            mirror = level.superclassMirror
        }
        properties = levels.reversed().flatMap { $0 }.filter { property in
            let isNew = seen.insert(ObjectIdentifier(property.field)).inserted
            if !isNew {
                shared.insert(ObjectIdentifier(property.field))
                problems.append(
                    .declaration(
                        "\(type(of: model)) holds a field twice; "
                            + "the property \(property.name) is left out",
                        property.name
                    )
                )
            }
            return isNew
        }
        self.shared = shared
        self.classes = classes
        self.problems = problems
    }

    /// The fields of the model's own class that are not among some.
    func ownFields(except fields: Set<ObjectIdentifier>) -> [String] {
        properties.filter { $0.depth == 0 && !fields.contains(ObjectIdentifier($0.field)) }
            .map(\.name)
    }

    /// Adds the fields that a value holds in itself, not behind a reference.
    private static func collect(_ mirror: Mirror, into fields: inout Set<ObjectIdentifier>) {
        switch mirror.displayStyle {
        case .struct, .tuple, .enum, .optional:
            for child in mirror.children {
                if let field = child.value as? AnyField {
                    fields.insert(ObjectIdentifier(field))
                } else {
                    collect(Mirror(reflecting: child.value), into: &fields)
                }
            }
        default: break
        }
    }

    /// How to reach each property, proved by a second instance.
    func accesses(checkedWith second: AnyObject) -> [FieldAccess] {
        if model is any CustomReflectable { return properties.map(\.reflection) }
        let others = FieldScan(of: second).properties
        return properties.indices.map { position in
            let property = properties[position]
            guard !shared.contains(ObjectIdentifier(property.field)),
                others.indices.contains(position),
                let offset = offset(of: property, and: others[position].field, in: second)
            else { return property.reflection }
            return .offset(offset)
        }
    }

    /// The one word among the properties of the class that declares a field which holds it, and in a
    /// second instance the other one.
    private func offset(of property: Property, and other: AnyField, in second: AnyObject) -> Int? {
        guard let end = extent(ofClassAt: property.depth) else { return nil }
        let stride = MemoryLayout<UnsafeRawPointer>.stride
        let start = extent(ofClassAt: property.depth + 1) ?? 2 * stride
        var found: Int?
        let first = (start + stride - 1) / stride * stride
        for offset in Swift.stride(from: first, through: end - stride, by: stride)
        where FieldScan.word(of: model, at: offset) == FieldScan.word(of: property.field)
            && FieldScan.word(of: second, at: offset) == FieldScan.word(of: other)
        {
            if found != nil { return nil }
            found = offset
        }
        // Three words later a property of the type `Any` has the type of its value, which in another instance may
        // be no field.
        if let found, found + 4 * stride <= end,
            FieldScan.word(of: model, at: found + 3 * stride)
                == unsafeBitCast(type(of: property.field) as AnyClass, to: UnsafeRawPointer.self)
        {
            return nil
        }
        return found
    }

    /// Where the properties of a class end in an instance.
    private func extent(ofClassAt depth: Int) -> Int? {
        guard classes.indices.contains(depth), let type = classes[depth] as? AnyClass else {
            return nil
        }
        #if canImport(ObjectiveC)
        return class_getInstanceSize(type)
        #else
        // As docs/ABI/TypeMetadata.rst of Swift says of class metadata: its kind, the superclass, flags,
        // address point and then the size of an instance; these are of 32 bits.
        let word = MemoryLayout<UnsafeRawPointer>.size
        return Int(
            unsafeBitCast(type, to: UnsafeRawPointer.self)
                .load(fromByteOffset: 2 * word + 8, as: UInt32.self)
        )
        #endif
    }

    private static func word(of field: AnyField) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(field).toOpaque())
    }

    private static func word(of object: AnyObject, at offset: Int) -> UnsafeRawPointer? {
        UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
            .load(fromByteOffset: offset, as: UnsafeRawPointer?.self)
    }
}
