package import ModelKitFields

/// A field that a path leads to, and what leads on from it.
package struct FieldPlace {
    /// A model in a field on the way to the place.
    package struct Step {
        package let holder: AnyField
        package let model: any Model
        /// Where the model is among others in the field; 0 for one alone.
        package var index: Int
        /// The path that leads on from the model.
        package let key: FieldPath
    }

    package let field: AnyField
    /// Its own path.
    package let path: FieldPath
    /// What is left of the path that led here.
    package let rest: FieldPath
    /// The models in fields that the path leads through, outermost first.
    package let way: [Step]

    package init(
        _ field: AnyField,
        at path: FieldPath,
        rest: FieldPath = [],
        way: [Step] = []
    ) {
        self.field = field
        self.path = path
        self.rest = rest
        self.way = way
    }
}

extension FieldPlace {
    /// The field of a model that a path leads to, but not into models in it.
    init?(_ path: FieldPath, in model: some Model) {
        guard let key = model.entry(leading: path) else { return nil }
        self.init(key.field(in: model), at: key.path, rest: path.dropping(key.path))
    }

    /// The field that what is left of the path leads to, through models in fields.
    package var innermost: FieldPlace {
        var place = self
        while let inner = place.inner { place = inner }
        return place
    }

    private var inner: FieldPlace? {
        guard let (model, key) = model, let entry = model.entry(leading: key)
        else { return nil }
        let lead = FieldPath(Array(rest.components.dropLast(key.components.count)))
        let path = path.appending(lead)
        let index = lead.components.first?.index ?? 0
        return FieldPlace(
            entry.field(in: model),
            at: path.appending(entry.path),
            rest: key.dropping(entry.path),
            way: way + [Step(holder: field, model: model, index: index, key: entry.path)]
        )
    }

    /// The model in the field that what is left of the path leads into, and what leads on from there.
    package var model: (model: any Model, rest: FieldPath)? {
        if !field.holdsModels { return nil }
        if field.holdsOneModel { return (field.anyValue as? any Model).map { ($0, rest) } }
        guard let index = rest.components.first?.index,
            let model = field.anyElement(at: index) as? any Model
        else { return nil }
        return (model, FieldPath(Array(rest.components.dropFirst())))
    }

    /// Where it is among other places in the field that the way begins with: in the order of elements
    /// and of fields in models, and a model as a whole after its fields.
    package var order: [Int] {
        var order = way.flatMap { step in
            [step.index, step.model.allEntries.firstIndex { $0.path == step.key } ?? 0]
        }
        if let (_, beyond) = model {
            let isAlone = beyond.components.count == rest.components.count
            order += [isAlone ? 0 : rest.components.first?.index ?? 0, .max]
        } else if !field.holdsModels, let index = rest.components.first?.index {
            order.append(index)
        }
        return order
    }

    package func leading(to rest: FieldPath) -> FieldPlace {
        FieldPlace(field, at: path, rest: rest, way: way)
    }
}

extension Model {
    /// The models in fields that a path leads through, outermost first, each with what leads on from it.
    package func models(along path: FieldPath) -> [(model: any Model, rest: FieldPath)] {
        var found: [(model: any Model, rest: FieldPath)] = []
        var place = FieldPlace(path, in: self)
        while let (model, rest) = place?.model {
            found.append((model, rest))
            place = FieldPlace(rest, in: model)
        }
        return found
    }
}

extension AnyField {
    /// Whether its value is one model, as its type says: a cast of an array to a class type would make
    /// an array of Foundation's first.
    fileprivate var holdsOneModel: Bool { valueType is any Model.Type }

    /// The models in it, each with what leads to it.
    package var heldModels: [(path: FieldPath, model: any Model)] {
        if !holdsModels { return [] }
        if holdsOneModel { return (anyValue as? any Model).map { [(FieldPath(), $0)] } ?? [] }
        let models = anyValue as? [any Model] ?? []
        return models.enumerated().map { ([.index($0)], $1) }
    }
}

extension Model {
    /// The paths of some of its fields, or of some of models in them.
    package func paths(to fields: [AnyField]) -> [FieldPath] {
        allEntries.map { ($0.path, $0.field(in: self)) }.paths(to: fields)
    }
}

extension [(FieldPath, AnyField)] {
    /// The paths of some of the fields, or of some of models in them: the shortest, if there are several,
    /// and an empty one of a field that is not there.
    package func paths(to fields: [AnyField]) -> [FieldPath] {
        var missing = Set(fields.map { ObjectIdentifier($0) })
        var paths: [ObjectIdentifier: FieldPath] = [:]
        var seen: Set<ObjectIdentifier> = []
        var open = self
        var index = 0
        while index < open.count, !missing.isEmpty {
            let (path, candidate) = open[index]
            if missing.remove(ObjectIdentifier(candidate)) != nil {
                paths[ObjectIdentifier(candidate)] = path
            }
            for (rest, model) in candidate.heldModels
            where seen.insert(ObjectIdentifier(model)).inserted {
                open += model.allEntries.map { entry in
                    (path.appending(rest).appending(entry.path), entry.field(in: model))
                }
            }
            index += 1
        }
        return fields.map { paths[ObjectIdentifier($0)] ?? [] }
    }
}

extension Model {
    /// The field that a path leads to or through.
    fileprivate func entry(leading path: FieldPath) -> ModelSchema.Entry? {
        firstEntry { path.begins(with: $0.path) }
    }
}

extension FieldPath {
    /// Whether it leads through another path; a key of digits is taken for an index, as a JSON Pointer
    /// does not distinguish them.
    package func begins(with other: FieldPath) -> Bool {
        components.starts(with: other.components) { left, right in
            left == right || (left.index != nil && left.index == right.index)
        }
    }

    /// What leads on from a path that it begins with.
    package func dropping(_ other: FieldPath) -> FieldPath {
        FieldPath(Array(components.dropFirst(other.components.count)))
    }
}

extension FieldPath.Component {
    package var index: Int? {
        switch self {
        case .index(let index): index
        case .key(let key): Int(strictly: key)
        }
    }
}
