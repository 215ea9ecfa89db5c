public import ModelKitFields
import Synchronization

/// The fields of a model type: found once, in the order in which they are written.
///
/// ```swift
/// Person.schema.fields.map(\.name)   // ["id", "name", "tags"]
/// print(Person.schema)               // Person: id (string, identifier), name (string), …
/// ```
public final class ModelSchema: Sendable {
    /// One field of a model type.
    ///
    /// ```swift
    /// let city = Office.schema.fields.first { $0.name == "city" }
    /// city?.kind   // .string
    /// ```
    public final class Entry: Sendable {
        /// The name of the property.
        public let name: String
        /// The key in dictionaries: the name, unless the field has its own.
        public let key: FieldKey
        /// The key as a path.
        public let path: FieldPath
        /// What kind every value's attribute form is.
        public let kind: AttributeKind
        /// The place that the field asks for among the others.
        public let priority: Int?
        /// What people call the field, if it says so.
        public let title: String?
        /// Whether stores find its values quickly: it was declared so, is unique, or is the foreign key of
        /// one model.
        public let isIndexed: Bool
        /// Whether stores find the models that have an element quickly: it is an array of keys whose other
        /// side is derived.
        package let isIndexedByElement: Bool
        /// Whether stores refuse a second model with the same value; the identifier, of which that is so
        /// anyway, need not say it.
        public let isUnique: Bool
        /// How the models in it are kept; nil if its values are no models.
        package let relationKind: RelationKind?
        /// Whether it has the identifiers of the models in it, and not their fields.
        package var isForeignKey: Bool { relationKind == .key }
        /// Whether it is the other side of a key, which is in no record and in no dictionary.
        package var isDerived: Bool { relationKind == .derived }
        /// Whether its values are models, whose own fields change without a set of this one.
        package let holdsModels: Bool
        /// Whether its values have an attribute form, without which they are in no dictionary.
        let isConvertible: Bool
        /// What its values are in JSON, and the same of the models in it.
        let form: FieldForm
        let models: (any ModelForm)?
        /// Whether its models, if it has any, are reached through it.
        let isRelation: Bool
        let access: FieldAccess
        /// The field of a model that stands for all; of a field of one object alone that itself.
        let sample: AnyField
        /// Where the field stands in every model of the type, if that is known.
        let offset: Int?

        init(
            _ name: String,
            _ field: AnyField,
            key: FieldKey,
            access: FieldAccess,
            _ relation: RelationKind?,
            hasDerivedSide: Bool = false
        ) {
            self.name = name
            self.key = key
            path = key.path
            kind = field.attributeKind
            priority = field.priority
            title = field.name
            holdsModels = field.holdsModels
            isConvertible = field.isConvertible
            (form, models) = FieldForm.of(field)
            isRelation = field.isRelation
            relationKind = relation
            isUnique = field.isUnique && kind.isOrdered
            let isKey = relation == .key
            isIndexed = isUnique || kind.isOrdered && (field.isIndexed || isKey)
            isIndexedByElement = isKey && hasDerivedSide && kind == .array
            self.access = access
            sample = field
            offset = access.offset
        }

        /// The field, if one model alone has it.
        var ownField: AnyField? { if case .field(let field) = access { field } else { nil } }

        /// Whether the value of a model's field is loaded.
        package func isLoaded(in model: AnyObject) -> Bool { loadState(in: model) == .loaded }

        /// How much is known of the value of a model's field.
        package func loadState(in model: AnyObject) -> LoadState {
            withField(of: model) { $0.untrackedLoadState }
        }

        /// The revision of the last commit of a model's field.
        func revision(in model: AnyObject) -> UInt64 { withField(of: model) { $0.revision } }

        /// Validates a model's field as `AnyField.validateUnasked`.
        func validateUnasked(in model: AnyObject) -> Bool {
            withField(of: model) { $0.validateUnasked() }
        }

        /// Runs a closure with a model's field.
        @inline(__always)
        private func withField<Result>(
            of model: AnyObject,
            _ body: (AnyField) -> Result
        ) -> Result {
            guard let offset else { return body(access.field(in: model)) }
            // Safe: the model holds the field, so that this need not, and it is held by the caller.
            return FieldAccess.field(of: model, at: offset)._withUnsafeGuaranteedRef(body)
        }

        /// The field of a model, which must be of the schema's type.
        package func field(in model: AnyObject) -> AnyField {
            guard let offset else { return access.field(in: model) }
            return FieldAccess.field(of: model, at: offset).takeUnretainedValue()
        }
    }

    /// What stores and messages call the type.
    public let name: String
    /// The fields: by priority, then as declared.
    public let fields: [Entry]
    /// These and those that are in no dictionary, which are edited and validated all the same.
    package let allFields: [Entry]
    /// The other sides of keys.
    package let derivedFields: [Entry]
    /// Where all of them stand in a model; nil if that is not known of each.
    let offsets: [Int]?
    /// The same of those in dictionaries.
    private let fieldOffsets: [Int]
    /// Whether models are reached through one of them.
    package let hasRelations: Bool
    /// The field that identifies a model: the one declared with `.identifier()`, or else the one
    /// named `id`.
    public let identifier: Entry?
    /// Its place among the fields.
    package let identifierSlot: Int?
    /// The greatest number that the field of the identifier can have, if its values are numbers.
    package let greatestNumber: Int64
    /// The type itself, to distinguish it from another of the same name.
    package let type: ObjectIdentifier
    /// The classes that the type inherits from, nearest first.
    package let bases: [ObjectIdentifier]
    /// A model of the type, whose fields stand for those of every model.
    ///
    /// Nobody sets them.
    package let prototype: any Model
    /// Whether models link their fields when they are made.
    let isLinked: Bool
    /// Whether it is for one model alone, while that of the type is being made.
    let isProvisional: Bool
    private let isReported = Atomic<Bool>(false)
    /// What the relations of the type are, once they were found.
    let knownRelations = Guarded<Relations?>(nil)
    let linking = KnownAnswer()
    let referring = KnownAnswer()
    /// Whether models may have a check of their own.
    let checking = KnownAnswer()
    /// The keys without a context.
    let plan: ModelPlan

    /// The field with a property name or key.
    public func entry(named name: String) -> Entry? {
        fields.first { $0.name == name } ?? fields.first { $0.key.description == name }
    }

    /// Has the fields of a new model take values, from one on, as far as that is all there is to do.
    ///
    /// - Parameters:
    ///   - row: The values in the order of the fields.
    ///   - slot: The place of the field; that of the first one whose value has to be read, after that.
    ///   - first: The revision of the first field; that of each other one is as many later.
    ///   - stamp: When they are read.
    ///   - model: The model.
    package func takeNew(
        _ row: ContiguousArray<AttributeValue>,
        from slot: inout Int,
        revisions first: UInt64,
        _ stamp: Stamp,
        in model: AnyObject
    ) {
        row.withUnsafeBufferPointer { row in
            guard let values = row.baseAddress else { return }
            while slot < min(row.count, fieldOffsets.count) {
                // Safe: the model holds the field, and is held by the caller.
                let field = FieldAccess.field(of: model, at: fieldOffsets[slot])
                let isTaken = field._withUnsafeGuaranteedRef {
                    $0.takeNew(values + slot, first &+ UInt64(slot), stamp)
                }
                if !isTaken { return }
                slot += 1
            }
        }
    }

    /// The field with a property name, also one that is in no dictionary.
    func fieldEntry(named name: String) -> Entry? { allFields.first { $0.name == name } }

    /// Whether it has to be said that models do not link their fields, which was not said yet.
    func isFoundUnlinked() -> Bool {
        !isLinked && !isReported.exchange(true, ordering: .relaxed)
    }

    /// The schema of a type.
    static func of<M: Model>(_ type: M.Type) -> ModelSchema { find(type, for: nil) }

    /// The schema of the model's own class, which may be a subclass of the one it is known as.
    static func of(_ model: some Model) -> ModelSchema {
        if let schema = cache[ObjectIdentifier(Swift.type(of: model))] { return schema }
        func find<M: Model>(_ type: M.Type) -> ModelSchema { self.find(type, for: model) }
        return find(model.ownType)
    }

    private static func find<M: Model>(
        _ type: M.Type,
        for model: (any Model)?
    ) -> ModelSchema {
        if let schema = cache[ObjectIdentifier(type)] { return schema }
        if ObjectIdentifier(M.self) != ObjectIdentifier(type) {
            // A subclass, known as the class above it: what is made here is to be of the subclass.
            func find<Own: Model>(_ type: Own.Type) -> ModelSchema { self.find(type, for: model) }
            return find(Self.dynamic(type))
        }
        if let making = SchemaMaking.current(of: ObjectIdentifier(type)) {
            let asking: any Model = model ?? (Fieldless() as any Model)
            return making.provisional(of: asking) {
                ModelKitDiagnostics.withHandler({ _ in }) {
                    ModelSchema(of: type, asking, nil, isLinked: true, making)
                }
            }
        }
        // Made without a lock: the initialiser of the model is code of the user. If two threads make
        // it, the first one is kept.
        let making = SchemaMaking(of: ObjectIdentifier(type))
        let made = making.run {
            let (model, second) = (M(), M())
            let isLinked = making.leaveOut([model, second])
            return ModelSchema(of: type, model, second, isLinked: isLinked, making)
        }
        let schema = cache.keep(made, for: ObjectIdentifier(type))
        note(schema)
        making.finish()
        return schema
    }

    /// - Parameters:
    ///   - type: The type.
    ///   - model: A model of it.
    ///   - second: Another one; nil where there is none yet, of a schema that is only for the first.
    ///   - isLinked: Whether models link their fields.
    ///   - making: Its making.
    private init<M: Model>(
        of type: M.Type,
        _ model: any Model,
        _ second: M?,
        isLinked: Bool,
        _ making: SchemaMaking
    ) {
        name = M.modelName
        self.type = ObjectIdentifier(type)
        prototype = model
        self.isLinked = isLinked
        isProvisional = second == nil
        let found = Self.fields(of: type, model, second)
        bases = Self.bases(of: model)
        var keys: Set<FieldKey> = []
        var entries: [Entry] = []
        var kinds = RelationKinds(of: model, making)
        for (property, access) in found {
            func report(_ problem: String) {
                ModelKitDiagnostics.reportDeclaration("\(M.self)\(problem)", property.name)
            }
            let key = property.field.key ?? FieldKey(property.name)
            guard keys.insert(key).inserted else {
                report(
                    " has two fields with the key \(key); the one named \(property.name) is left out"
                )
                continue
            }
            let isConvertible = property.field.isConvertible
            if isConvertible,
                let other = entries.first(where: {
                    $0.isConvertible && $0.key.collides(with: key)
                })
            {
                report(
                    " has the keys \(other.key) and \(key), of which one is inside of the other; "
                        + "the one named \(property.name) is left out"
                )
                continue
            }
            if !isConvertible {
                report(
                    " has a field whose type is not AttributeConvertible; "
                        + "it is in no dictionary and in no store"
                )
            }
            // Of the only model that there is, others cannot be asked yet.
            let kind =
                second == nil
                ? (own: RelationKind(declaredBy: property.field), hasDerivedSide: false)
                : kinds.kind(of: property.field, named: property.name)
            let entry = Entry(
                property.name,
                property.field,
                key: key,
                access: access,
                kind.own,
                hasDerivedSide: kind.hasDerivedSide
            )
            if property.field.isIndexed, !entry.isIndexed {
                report(".\(property.name) cannot be indexed or unique, as its values have no order")
            }
            entries.append(entry)
        }
        allFields = entries.sorted { $0.priority ?? .max < $1.priority ?? .max }
        fields = allFields.filter { $0.isConvertible && !$0.isDerived }
        derivedFields = allFields.filter(\.isDerived)
        let known = allFields.compactMap(\.offset)
        offsets = known.count == allFields.count ? known : nil
        let places = fields.map { $0.offset ?? -1 }
        fieldOffsets = places.contains(-1) ? [] : places
        hasRelations = allFields.contains(where: \.isRelation)
        identifier =
            fields.first { $0.field(in: model).isIdentifier } ?? fields.first { $0.name == "id" }
        identifierSlot = fields.firstIndex { [identifier] in $0 === identifier }
        plan = ModelPlan(fields, of: model, in: nil, derived: derivedFields)
        greatestNumber = identifier.map { Self.greatestNumber(of: $0.field(in: model)) } ?? .max
    }

    /// The fields that the type lists, or those that reflection finds.
    private static func fields<M: Model>(
        of type: M.Type,
        _ model: any Model,
        _ second: M?
    ) -> [(property: FieldScan.Property, access: FieldAccess)] {
        let found = FieldScan(of: model)
        if let list = M.declaredFields {
            return FieldDeclaration.checked(list, of: type, model, second, reflected: found)
        }
        found.problems.forEach(ModelKitDiagnostics.report)
        let accesses =
            second.map(found.accesses(checkedWith:)) ?? found.properties.map(\.reflection)
        return Array(zip(found.properties, accesses))
    }

    /// The classes above the model's own one, below `ModelObject`.
    private static func bases(of model: any Model) -> [ObjectIdentifier] {
        var bases: [ObjectIdentifier] = []
        var level = Mirror(reflecting: model).superclassMirror
        while let type = level?.subjectType, type is any Model.Type, type != ModelObject.self {
            bases.append(ObjectIdentifier(type))
            level = level?.superclassMirror
        }
        return bases
    }

    /// The greatest number that a field can have, if it can have those below it.
    private static func greatestNumber(of field: AnyField) -> Int64 {
        func canHave(_ number: Int64) -> Bool {
            var scope = ImportScope()
            return field.form(of: .int(number), at: [], in: &scope) == .int(number)
        }
        guard field.attributeKind == .int, !canHave(.max) else { return .max }
        var (greatest, tooGreat) = (0 as Int64, Int64.max)
        while tooGreat - greatest > 1 {
            let middle = greatest + (tooGreat - greatest) / 2
            if canHave(middle) { greatest = middle } else { tooGreat = middle }
        }
        return greatest
    }

    /// A metatype that opens with the class it stands for.
    ///
    /// Swift 6.3.1 with `-O` opens `type(of: model)` of a generic parameter with the static type, so that
    /// an `M()` behind it makes the class above (`.ci/toolchain` has the case without the library). A
    /// metatype that went through `AnyClass` is looked up anew.
    @inline(never)
    static func dynamic(_ type: any Model.Type) -> any Model.Type {
        // It is a model's type by its own type already; the cast only finds the conformance again.
        (type as AnyClass) as? any Model.Type ?? type
    }

    /// The model that the schema of a type was made of, if it is known already.
    static func knownPrototype(of type: any Model.Type) -> (any Model)? {
        cache[ObjectIdentifier(type)]?.prototype
    }

    private static let cache = TypeTable<ModelSchema>()
}

extension ModelSchema: Hashable {
    /// Whether both are of the same type.
    public static func == (left: ModelSchema, right: ModelSchema) -> Bool {
        left.type == right.type
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(type) }
}

extension AttributeKind {
    /// Whether two different values of it have an order.
    fileprivate var isOrdered: Bool { self != .array && self != .dictionary }
}

extension FieldKey {
    /// Whether another key is this one, or inside of it, or this one inside of that.
    func collides(with other: FieldKey) -> Bool {
        names.starts(with: other.names) || other.names.starts(with: names)
    }
}
