import ModelKitModels
import ModelKitStores

extension RemoteOperation {
    /// The record at a path; nil where there is none.
    func record(
        at path: String,
        _ identifier: Identifier,
        of schema: ModelSchema,
        others: [FieldKey: AttributeValue] = [:]
    ) throws -> Promise<Record?> {
        let asked = state.next()
        var request = RemoteRequest(.get, path, of: schema, identifier)
        request.parameters = dialect.readParameters(type(of: schema.prototype))
        if isExact(schema) { request.parameters.append(.exact) }
        return exchange(request).map { [self] answer in
            if answer.isMissing { return nil }
            guard answer.isSuccess else { throw error(of: answer) }
            let object = try object(of: answer)
            return try record(
                of: object,
                schema,
                identifier,
                revision: asked,
                tag: answer.tag,
                others: others
            )
        }
    }

    /// The model that an answer has.
    func object(of answer: RemoteAnswer) throws -> AttributeDictionary {
        guard let value = answer.response.value,
            let object = dialect.envelope.object(of: value, answer.schema, context)
        else { throw rubbish(answer, "no \(answer.schema.name)") }
        return object
    }

    /// An error for an answer that is a success, but makes no sense.
    func rubbish(_ answer: RemoteAnswer, _ what: String) -> StoreError {
        let outcome: Outcome = answer.asked.method.isSafe ? .notApplied : .unknown
        let http = answer.response.http
        var text = "the server answered \(http.status), but with \(what)"
        if answer.response.value == nil {
            text += http.body.isEmpty ? ": there is no body" : ": the body is no JSON"
            if !http.body.isEmpty, let type = http.headers["Content-Type"] { text += " (\(type))" }
        }
        return .unavailable(text, outcome)
    }

    /// The record that an object stands for; nil for one of another class.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - schema: The type that was asked for.
    ///   - identifier: The identifier that counts where the object has none.
    ///   - revision: The revision that counts where the server sends none.
    ///   - tag: What the server calls this version.
    ///   - others: Values of fields that the object has not.
    ///   - write: The write that it answers; nil for a read.
    /// - Returns: The record.
    /// - Throws: `.decoding`, if it does not fit.
    func record(
        of object: AttributeDictionary,
        _ schema: ModelSchema,
        _ identifier: @autoclosure () -> Identifier?,
        revision: Int64,
        tag: @autoclosure () -> EntityTag? = nil,
        others: [FieldKey: AttributeValue] = [:],
        of write: RemoteWrite? = nil
    ) throws -> Record? {
        var object = object
        let note = dialect.isPlain ? RecordNote.take(from: &object) : nil
        if let type = note?.type, type != schema.name { return nil }
        let version = dialect.versionPath.flatMap { EntityTag(version: object, at: $0) }
        object = try store.deserializeModel(type(of: schema.prototype), from: object)
        var found: RecordCoder.Found
        let members: [FieldKey: AttributeValue]
        do {
            found = try read(object, of: schema)
            members = try self.members(in: object, of: schema)
        } catch let error as ImportError {
            let identifier = identifier() ?? ""
            throw StoreError.decoding(type: schema.name, identifier: identifier, error.issues)
        }
        let named = found.identifier
        guard let identifier = named ?? identifier() else {
            let path = try schema.identity().path
            let issue = Issue(code: "required", path: path, message: "is missing")
            throw StoreError.decoding(type: schema.name, identifier: "", [issue])
        }
        if let write, !write.isOf(identifier), !router.isSingleton(schema) {
            throw StoreError.unavailable(
                "the server answered with another \(schema.name), \(identifier)",
                .applied
            )
        }
        if named == nil { found.identify(by: identifier) }
        for (key, value) in others where found[key] == nil { found[key] = value }
        // A server of our own leaves out only what is nil.
        if note != nil || dialect.absentIsNull { found.complete() }
        let sent = sentRevision(by: note, tag(), to: write)
        var made = RemoteState.Tag(
            revision: sent ?? revision,
            isFromServer: sent != nil,
            hash: sent == nil ? found.hash : 0,
            tag: dialect.honoursIfMatch && sent == nil ? tag() ?? version : nil,
            pathIdentifier: router.identifierKey(of: schema).flatMap { found[$0] }
                .flatMap { try? Identifier(attributeValue: $0) },
            moment: revision
        )
        if dialect.updateMethod == .put { made.nulls = found.nulls }
        if let write {
            if made.pathIdentifier == nil { made.pathIdentifier = written(write) }
            made.nulls = nulls(of: write).merging(made.nulls) { $1 }
        }
        return found.record(
            identifier,
            revision: keep(made, schema, identifier, isRead: write == nil),
            place: note?.place ?? 0,
            members: members
        )
    }

    /// Reads an object.
    ///
    /// - Throws: An `ImportError` with what does not fit, by declared keys.
    private func read(
        _ object: AttributeDictionary,
        of schema: ModelSchema
    ) throws(ImportError) -> RecordCoder.Found {
        do throws(ImportError) {
            return try state.coder(schema, in: context).read(object)
        } catch {
            throw ImportError(
                issues: error.issues.map { issue in
                    var issue = issue
                    issue.path = schema.declaredPath(of: issue.path, in: context)
                    return issue
                }
            )
        }
    }

    /// What an object has of the other sides of keys: the values of their members, by declared keys.
    ///
    /// - Throws: An `ImportError` with what does not fit in any of them, by declared keys.
    private func members(
        in object: AttributeDictionary,
        of schema: ModelSchema
    ) throws -> [FieldKey: AttributeValue] {
        if schema.derivedFields.isEmpty { return [:] }
        var members: [FieldKey: AttributeValue] = [:]
        var issues: [Issue] = []
        for (entry, key) in zip(schema.derivedFields, schema.derivedKeys(in: context)) {
            guard let partner = entry.partnerSchema, let value = object.value(atKey: key) else {
                continue
            }
            func member(_ value: AttributeValue, at path: FieldPath) throws -> AttributeValue? {
                guard case .dictionary(let given) = value else { return nil }
                let type = type(of: partner.prototype)
                let object = try store.deserializeModel(type, from: given)
                do {
                    var read = try read(object, of: partner).dictionary
                    for (key, value) in try self.members(in: object, of: partner) {
                        read.set(value, at: key.names[...])
                    }
                    return .dictionary(read)
                } catch let error as ImportError {
                    issues += error.issues.map { $0.prefixed(by: path) }
                    return nil
                }
            }
            let isPart =
                entry.kind == .array
                && !dialect.embedsWholeLists(type(of: schema.prototype), entry.path)
            // What is no member says to the session that there may be more.
            let more: [AttributeValue] = isPart ? [.null] : []
            switch value {
            case .array(let elements):
                let read = try elements.enumerated().compactMap { index, element in
                    try member(element, at: entry.path.appending(index: index))
                }
                // What is only an identifier says nothing of the rest.
                if read.count == elements.count { members[entry.key] = .array(read + more) }
            case .null: members[entry.key] = .array(more)
            default:
                members[entry.key] = try member(value, at: entry.path).map { .array([$0]) }
            }
        }
        if !issues.isEmpty { throw ImportError(issues: issues) }
        return members
    }

    /// The revision that a server of our own sends; nil where it sends none.
    ///
    /// It is beside a record, or the tag of one whose revision was sent before. To any other server a number in
    /// a tag is a text like any other.
    func sentRevision(
        by note: RecordNote?,
        _ tag: @autoclosure () -> EntityTag?,
        to write: RemoteWrite?
    ) -> Int64? {
        guard dialect.isPlain else { return nil }
        if let revision = note?.revision { return revision }
        guard let write, let identifier = write.identifier, let expected = write.expected,
            !state.isCounted(expected)
        else { return nil }
        let known = state[write.schema, identifier]
        let isFromServer = known?.revision != expected || known?.isFromServer == true
        return isFromServer ? tag()?.revision : nil
    }

    /// Keeps what is needed to write a record, and is not in it, and gives it its revision.
    func keep(
        _ made: RemoteState.Tag,
        _ schema: ModelSchema,
        _ identifier: Identifier,
        isRead: Bool
    ) -> Int64 {
        if isRead, !made.isFromServer { return state.noteRead(schema, identifier, made) }
        let isClear = !RemoteState.mayBeCounted(made.revision)
        if isRead, isClear, made.pathIdentifier == nil, dialect.updateMethod != .put {
            return made.revision
        }
        var made = made
        if made.isFromServer { made.tag = EntityTag(revision: made.revision) }
        if !isRead { made.moment = state.next() }
        state.note(schema, identifier, made)
        return made.revision
    }
}
