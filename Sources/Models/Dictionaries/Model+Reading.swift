import ModelKitFields

extension Model {
    /// Sets the fields of a model that others may have.
    ///
    /// Keys lead to the objects of the store that the model is of.
    func readInUse(_ dictionary: AttributeDictionary, in scope: inout ImportScope) {
        func read() {
            Linking.afterwards(of: Self.self) {
                Linking.inUse { self.read(dictionary, at: [], in: &scope) }
            }
        }
        if ownSchema.hasRelations, IdentityMap.importing == nil, let map = StoreMaps.map(of: self) {
            map.useForForeignKeys(read)
        } else {
            read()
        }
    }

    /// Sets the fields whose keys a dictionary has, unless the model is in deeper than an export goes.
    func read(_ dictionary: AttributeDictionary, at path: FieldPath, in scope: inout ImportScope) {
        guard scope.depth <= Traversal.limit else {
            let message = "is inside of more than \(Traversal.limit) models"
            return scope.issues.append(Issue(code: "depth", path: path, message: message))
        }
        scope.depth += 1
        defer {
            scope.depth -= 1
            if scope.depth == 0 { scope.models = nil }
        }
        DeepStack.run(atDepth: path.components.count) { readHere(dictionary, at: path, in: &scope) }
    }

    private func readHere(
        _ dictionary: AttributeDictionary,
        at path: FieldPath,
        in scope: inout ImportScope
    ) {
        let schema = ownSchema
        let plan = schema.plan(in: scope.registry)
        var blocked: [FieldPath] = []
        func attempt(_ found: AttributeDictionary.Lookup, _ field: AnyField, _ key: FieldPath) {
            let known = scope.readCount
            let revision = Linking.attempt {
                read(found, into: field, key, at: path, &blocked, in: &scope)
            }
            if revision == nil { scope.forgetModels(since: known) }
        }
        func readField(_ index: Int) {
            let entry = schema.fields[index]
            let found: AttributeDictionary.Lookup
            if let name = plan.names[index] {
                guard let value = dictionary[name] else { return }
                found = .found(value)
            } else {
                found = dictionary.value(at: plan.keys[index].names[...])
            }
            let (field, key) = (entry.field(in: self), plan.paths[index])
            if entry.isRelation {
                if entry.isForeignKey, case .found(let value) = found,
                    field.hasKey(value, in: scope.registry)
                {
                    return
                }
                attempt(found, field, key)
            } else {
                read(found, into: field, key, at: path, &blocked, in: &scope)
            }
        }
        if schema.mayBeReferredTo {
            // A map knows itself what was read.
            if IdentityMap.importing?.isDeep != true { scope.note(self, of: dictionary, schema) }
            let start = scope.issues.count
            // Not the issues, which would be copied then.
            var found: [(index: Int, issues: Range<Int>)] = []
            for index in plan.referringOrder {
                let before = scope.issues.count
                readField(index)
                if scope.issues.count > before {
                    found.append((index, before..<scope.issues.count))
                }
            }
            if found.count > 1 {
                let sorted = found.sorted { $0.index < $1.index }
                    .flatMap { scope.issues[$0.issues] }
                scope.issues.replaceSubrange(start..., with: sorted)
            }
        } else {
            for index in schema.fields.indices { readField(index) }
        }
        for (key, field) in dynamicFields(in: scope.registry, plan) {
            attempt(dictionary.value(at: key.names[...]), field, key.path)
        }
        for (entry, key) in zip(schema.derivedFields, plan.derivedKeys) {
            guard case .found(let value) = dictionary.value(at: key.names[...]),
                let field = entry.relation(in: self)
            else { continue }
            let known = scope.readCount
            let isRead = Linking.attempt {
                field.readMembers(value, at: path.appending(key.path), in: &scope) ? true : nil
            }
            if isRead == nil { scope.forgetModels(since: known) }
        }
    }

    /// Reads what stands at a key.
    ///
    /// A path is noted where something else than a dictionary was found.
    ///
    /// - Returns: The revision of the field's set; nil if it was not set.
    @discardableResult
    private func read(
        _ found: AttributeDictionary.Lookup,
        into field: AnyField,
        _ key: FieldPath,
        at path: FieldPath,
        _ blocked: inout [FieldPath],
        in scope: inout ImportScope
    ) -> UInt64? {
        switch found {
        case .absent: return nil
        case .found(let value):
            let keyPath = path.isEmpty ? key : path.appending(key)
            return field.read(value, at: keyPath, revision: nil, in: &scope)
        case .blocked(let value, let depth):
            // Two fields below one key would report it twice.
            let place = path.appending(FieldPath(Array(key.components.prefix(depth))))
            if !blocked.contains(place) {
                blocked.append(place)
                scope.issues.append(.wrongType(value, expected: "a dictionary", at: place))
            }
            return nil
        }
    }
}
