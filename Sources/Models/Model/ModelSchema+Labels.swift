import ModelKitFields

extension ModelSchema {
    /// What people call the field that a path leads to, with what leads on from there; nil where it has no
    /// name.
    package func label(of path: FieldPath) -> String? {
        let found = allFields.first { path.components.starts(with: $0.path.components) }
        guard let entry = found else { return nil }
        var rest = path.components.dropFirst(entry.path.components.count)
        if let partner = entry.partnerSchema, rest.contains(where: \.isKey) {
            if case .index? = rest.first { rest.removeFirst() }
            return partner.label(of: FieldPath(Array(rest)))
        }
        return entry.title.map { FieldPath(key: $0).appending(FieldPath(Array(rest))).description }
    }
}

extension FieldPath.Component {
    fileprivate var isKey: Bool { if case .key = self { true } else { false } }
}
