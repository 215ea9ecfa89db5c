import ModelKitFields

extension ModelField: RelationField {
    var partner: any Model.Type { M.self }

    var models: [any Model] { value.map { [$0] } ?? [] }

    var relatedModels: [any Model] { unloadedObjects?.compactMap { $0 as? M } ?? models }

    func remove(_ models: Set<ObjectIdentifier>) {
        if forgetUnloaded(where: { models.contains(ObjectIdentifier($0)) }) { return }
        guard let value, models.contains(ObjectIdentifier(value)) else { return }
        modify { if let model = $0, models.contains(ObjectIdentifier(model)) { $0 = nil } }
    }

    func add(_ models: [any Model]) -> Bool { false }

    func removeAllModels() {
        if !forgetUnloaded(where: { _ in true }), value != nil { value = nil }
    }

    func link(
        to owner: any Model,
        isDerived: Bool,
        by inverse: @escaping @Sendable (any Model) -> AnyField?
    ) {
        let found = Inverse<M>(owner: owner, shape: .one, isDerived: isDerived) {
            ($0 as? M).flatMap { inverse($0) }
        }
        install(found)
    }

    func readMembers(
        _ value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Bool {
        if value.isNull {
            setMembers(nil)
            return true
        }
        guard let model = M.member(of: value, at: path, in: &scope) else { return false }
        setMembers(model)
        return true
    }

    func setMembers(_ stored: [any Model], unless isGone: (any Model) -> Bool) {
        let stored = stored.compactMap { $0 as? M }
        loadMembers(stored, unless: { ($0 as? M).map { isGone($0) } ?? true })
    }

    func standApart(isDerived: Bool) { standApart(as: .one, isDerived: isDerived) }

    func takeCopied(_ other: AnyField) { (other as? Field<M>).map { takeApart($0) } }

    func take(_ other: AnyField, _ replace: (any Model) -> (any Model)?) {
        guard let other = other as? Field<M> else { return }
        takeValue(of: other, at: nil, restoring: true) { $0.flatMap { replace($0) as? M } }
    }
}

extension ArrayField: RelationField where Element: Model {
    var declaration: RelationDeclaration {
        (inner as? ModelField<Element>)?.declaration ?? RelationDeclaration()
    }

    var partner: any Model.Type { Element.self }

    var models: [any Model] { value ?? [] }

    var relatedModels: [any Model] { unloadedObjects?.compactMap { $0 as? Element } ?? models }

    func remove(_ models: Set<ObjectIdentifier>) {
        if forgetUnloaded(where: { models.contains(ObjectIdentifier($0)) }) { return }
        removeAll { models.contains(ObjectIdentifier($0)) }
    }

    func add(_ models: [any Model]) -> Bool { join(models.compactMap { $0 as? Element }) }

    func removeAllModels() { if !forgetUnloaded(where: { _ in true }) { removeAll() } }

    func link(
        to owner: any Model,
        isDerived: Bool,
        by inverse: @escaping @Sendable (any Model) -> AnyField?
    ) {
        let found = Inverse<[Element]>(owner: owner, shape: .many(), isDerived: isDerived) {
            ($0 as? Element).flatMap { inverse($0) }
        }
        install(found)
    }

    func readMembers(
        _ value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Bool {
        guard !value.isNull, case .array(let elements) = value else {
            if value.isNull {
                setMembers(nil)
            } else {
                scope.issues.append(.wrongType(value, expected: "an array", at: path))
            }
            return value.isNull
        }
        let before = scope.issues.count
        let models = elements.enumerated().compactMap { index, element in
            Element.member(of: element, at: path.appending(index: index), in: &scope)
        }
        guard scope.issues.count == before || scope.skipsInvalid else { return false }
        setMembers(models)
        return true
    }

    func setMembers(_ stored: [any Model], unless isGone: (any Model) -> Bool) {
        let stored = stored.compactMap { $0 as? Element }
        loadMembers(stored, unless: { ($0 as? Element).map { isGone($0) } ?? true })
    }

    func standApart(isDerived: Bool) { standApart(as: .many(), isDerived: isDerived) }

    func takeCopied(_ other: AnyField) { (other as? Field<[Element]>).map { takeApart($0) } }

    func take(_ other: AnyField, _ replace: (any Model) -> (any Model)?) {
        guard let other = other as? Field<[Element]> else { return }
        takeValue(of: other, at: nil, restoring: true) { value in
            value?.compactMap { replace($0) as? Element }
        }
    }
}
