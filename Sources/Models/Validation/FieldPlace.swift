import ModelKitFields

/// A field that a path leads to, and what leads on from it.
struct FieldPlace {
    let field: AnyField
    /// Its own path.
    let path: FieldPath
    /// What is left of the path that led here.
    let rest: FieldPath

    init(_ field: AnyField, at path: FieldPath, rest: FieldPath = []) {
        self.field = field
        self.path = path
        self.rest = rest
    }
}

extension FieldPlace {
    /// The field of a form at the longest beginning of a path.
    init?(_ path: FieldPath, among entries: [FormPart.Entry]) {
        let found = entries.lazy.filter { path.begins(with: $0.path) }
            .max { $0.path.components.count < $1.path.components.count }
        guard let found else { return nil }
        let rest = path.dropping(found.path.components.count)
        self = FieldPlace(found.field, at: found.path, rest: rest).innermost
    }

    /// The field that what is left of the path leads to, through models in fields.
    var innermost: FieldPlace {
        var place = self
        while let inner = place.inner { place = inner }
        return place
    }

    private var inner: FieldPlace? {
        if rest.isEmpty || !field.holdsModels { return nil }
        if let model = field.anyValue as? any Model { return FieldPlace(rest, in: model, at: path) }
        guard let models = field.anyValue as? [any Model], let index = rest.components[0].index,
            models.indices.contains(index)
        else { return nil }
        return FieldPlace(rest.dropping(1), in: models[index], at: path.appending(index: index))
    }

    /// The field of a model that a path leads to, but not into models in it.
    init?(_ path: FieldPath, in model: some Model, at base: FieldPath = []) {
        let found = model.allEntries.first { path.begins(with: $0.path) }
        guard let found else { return nil }
        field = found.field(in: model)
        self.path = base.appending(found.path)
        rest = path.dropping(found.path.components.count)
    }
}

extension FieldPath {
    /// Whether it leads through another path; a key of digits is taken for an index, as a JSON Pointer
    /// does not tell them apart.
    func begins(with other: FieldPath) -> Bool {
        components.starts(with: other.components) { left, right in
            left == right || (left.index != nil && left.index == right.index)
        }
    }

    func dropping(_ count: Int) -> FieldPath { FieldPath(Array(components.dropFirst(count))) }
}

extension FieldPath.Component {
    fileprivate var index: Int? {
        switch self {
        case .index(let index): index
        case .key(let key): Int(key)
        }
    }
}
