package import ModelKitFields
package import ModelKitModels

extension ModelSchema {
    /// The path of a value in the JSON of a context, of its path in a model.
    package func wirePath(
        of path: FieldPath,
        in context: ValueTransformerContext
    ) -> FieldPath {
        let (old, new) = (fields.map(\.key), keys(in: context))
        return renamed(path, old, new) { $0.wirePath(of: $1, in: context) }
    }

    /// The path of a value in a model, of its path in the JSON of a context.
    ///
    /// - Parameters:
    ///   - path: The path in the JSON.
    ///   - context: How the keys are written.
    ///   - ignoringCase: Whether a key that no field has may be one in another case, as `FirstName` for
    ///     `first_name`.
    /// - Returns: The path; from a key on that no field has, as it was.
    package func declaredPath(
        of path: FieldPath,
        in context: ValueTransformerContext,
        ignoringCase: Bool = false
    ) -> FieldPath {
        let old = keys(in: context) + derivedKeys(in: context)
        let new = (fields + derivedFields).map(\.key)
        return renamed(path, old, new, ignoringCase: ignoringCase) {
            $0.declaredPath(of: $1, in: context, ignoringCase: ignoringCase)
        }
    }

    private func renamed(
        _ path: FieldPath,
        _ old: [FieldKey],
        _ new: [FieldKey],
        ignoringCase: Bool = false,
        _ inner: (ModelSchema, FieldPath) -> FieldPath
    ) -> FieldPath {
        let components = path.components[...]
        guard let found = old.index(of: components, ignoringCase: ignoringCase) else { return path }
        var start = new[found].path
        var rest = components.dropFirst(old[found].names.count)
        guard let partner = (fields + derivedFields)[found].partnerSchema else {
            return FieldPath(start.components + rest)
        }
        if case .index? = rest.first { start.components.append(rest.removeFirst()) }
        return start.appending(inner(partner, FieldPath(Array(rest))))
    }
}

extension [FieldKey] {
    /// Which of them a path begins with.
    func index(of path: ArraySlice<FieldPath.Component>, ignoringCase: Bool) -> Int? {
        let found = firstIndex { $0.begins(path, ==) }
        guard found == nil, ignoringCase else { return found }
        return firstIndex { $0.begins(path) { $0.hasLetters(of: $1) } }
    }
}

extension FieldKey {
    /// Whether a path begins with the key, by names that are the same.
    fileprivate func begins(
        _ path: ArraySlice<FieldPath.Component>,
        _ isSame: (String, String) -> Bool
    ) -> Bool {
        path.count >= names.count
            && zip(path, names).allSatisfy { component, name in
                if case .key(let key) = component { isSame(key, name) } else { false }
            }
    }
}

extension String {
    /// Whether it has the letters of another name, whatever case both have and whatever joins the words.
    fileprivate func hasLetters(of other: String) -> Bool {
        func letters(_ name: String) -> some Sequence<UInt8> {
            name.utf8.lazy.filter { !"_- ".utf8.contains($0) }
                .map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        }
        return letters(self).elementsEqual(letters(other))
    }
}
