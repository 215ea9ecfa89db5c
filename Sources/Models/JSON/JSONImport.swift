import ModelKitFields

/// Makes values and models of one JSON text.
struct JSONImport {
    /// The text, in UTF-8; must outlive the import.
    let bytes: UnsafeRawBufferPointer
    /// What else is asked of it.
    let options: JSONOptions

    /// Makes a model of an object.
    func model<M: Model>(
        _ type: M.Type,
        in context: ValueTransformerContext,
        _ policy: ImportPolicy
    ) throws(ImportError) -> M {
        try Linking.afterwards(of: type) { () throws(ImportError) in
            if let model = Linking.attempt({ direct(type, in: context) }) { return model }
            let dictionary = try object(for: CodedModel<M>.self, in: context)
            var scope = ImportScope(in: context, policy: policy)
            let model = M.make(of: dictionary, at: [], in: &scope)
            if let model, scope.issues.isEmpty { return model }
            let places = JSONPlaces(of: scope.issues, in: bytes, options).places
            return try scope.finish(model, policy, at: places)
        }
    }

    /// Sets the fields of a model from an object.
    func read<M: Model>(
        _ model: M,
        in context: ValueTransformerContext,
        _ policy: ImportPolicy
    ) throws(ImportError) {
        let dictionary = try object(for: CodedForms.model(model.ownType), in: context)
        var scope = ImportScope(in: context, policy: policy)
        model.readInUse(dictionary, in: &scope)
        try finish(scope, policy)
    }

    /// Makes models of an array of objects.
    func models<M: Model>(
        _ type: M.Type,
        in context: ValueTransformerContext,
        _ policy: ImportPolicy
    ) throws(ImportError) -> [M] {
        try Linking.afterwards(of: type) { () throws(ImportError) in
            var scope = ImportScope(in: context, policy: policy)
            if let models = Linking.attempt({ elements(type, in: &scope) }) {
                try finish(scope, policy)
                return models
            }
            let value = try JSONReader.value(
                bytes,
                options,
                for: CodedArray<CodedModel<M>>.self,
                in: context.registry
            )
            guard case .array(let elements) = value else {
                throw error(of: .wrongType(value, expected: "an array"))
            }
            scope = ImportScope(in: context, policy: policy)
            let models = elements.enumerated().compactMap { index, element in
                M.make(of: element, at: [.index(index)], in: &scope)
            }
            try finish(scope, policy)
            return models
        }
    }

    /// The models of an array that is read element by element; nil where that is no array.
    private func elements<M: Model>(_ type: M.Type, in scope: inout ImportScope) -> [M]? {
        // Models in use are set at once, which must not be before the whole text is known to be JSON.
        if options.duplicateKeys == .refused || !scope.isDroppable { return nil }
        var reader = JSONReader(bytes, options)
        var models: [M] = []
        do throws(JSONReader.Failure) {
            try reader.beginText()
            guard reader.next == UInt8(ascii: "[") else { return nil }
            var index = 0
            _ = try reader.readElements { reader throws(JSONReader.Failure) in
                let start = reader.position
                let model = try reader.readModel(type, at: [.index(index)], in: &scope)
                if index == 0 {
                    // As many as there may be more of this length, but not one for every byte.
                    models.reserveCapacity(bytes.count / max(reader.position - start, 64) + 1)
                }
                if let model { models.append(model) }
                index += 1
                return true
            }
            try reader.endText()
            return models
        } catch {
            return nil
        }
    }

    /// The model of a text that is as it mostly is; nil of others.
    private func direct<M: Model>(_ type: M.Type, in context: ValueTransformerContext) -> M? {
        if options.duplicateKeys == .refused { return nil }
        var reader = JSONReader(bytes, options)
        var scope = ImportScope(in: context, policy: .strict)
        do throws(JSONReader.Failure) {
            try reader.beginText()
            guard reader.next == UInt8(ascii: "{") else { return nil }
            let model = Linking.making(M.self)
            guard try reader.read(model, in: &scope) else { return nil }
            try reader.endText()
            return model
        } catch {
            return nil
        }
    }

    private func object(
        for form: any CodedForm.Type,
        in context: ValueTransformerContext
    ) throws(ImportError) -> AttributeDictionary {
        let value = try JSONReader.value(bytes, options, for: form, in: context.registry)
        if case .dictionary(let dictionary) = value { return dictionary }
        throw error(of: Issue(code: "type", message: "must be a JSON object"))
    }

    private func error(of issue: Issue) -> ImportError {
        ImportError(
            issues: [issue],
            places: JSONPlaces(of: [issue], in: bytes, options).places
        )
    }

    /// Throws or reports what was found, with the places in the text.
    private func finish(_ scope: ImportScope, _ policy: ImportPolicy) throws(ImportError) {
        if scope.issues.isEmpty { return }
        try scope.finish(policy, at: JSONPlaces(of: scope.issues, in: bytes, options).places)
    }
}

extension JSONReader {
    /// Reads an element that is to be a model: straight to its fields, or through attribute values.
    ///
    /// - Returns: The model; nil where it is none, with an issue.
    mutating func readModel<M: Model>(
        _ type: M.Type,
        at path: FieldPath,
        in scope: inout ImportScope
    ) throws(Failure) -> M? {
        let start = position
        if next == UInt8(ascii: "{") {
            do throws(Failure) {
                let direct = try Linking.attempt { () throws(Failure) in
                    let model = Linking.making(M.self)
                    return try read(model, in: &scope) ? model : nil
                }
                if let direct { return direct }
            } catch {
                // What a number is that has too many digits for most, attribute values decide.
                guard error.isJSON else { throw error }
                abandonValue()
            }
            position = start
        }
        return try readModelByValues(type, at: path, in: &scope)
    }

    /// Reads an element that is to be a model, through attribute values.
    mutating func readModelByValues<M: Model>(
        _ type: M.Type,
        at path: FieldPath,
        in scope: inout ImportScope
    ) throws(Failure) -> M? {
        let value = try readValue(for: CodedModel<M>.self, in: scope.registry)
        return M.make(of: value, at: path, in: &scope)
    }
}
