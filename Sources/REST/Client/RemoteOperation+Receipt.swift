import ModelKitModels
import ModelKitStores

extension RemoteOperation {
    /// What a write that the server has made has left behind.
    func receipt(of answer: RemoteAnswer, for write: RemoteWrite) throws -> RecordReceipt {
        let schema = write.schema
        if write.isDeletion, let identifier = write.identifier {
            let known = write.expected ?? state[schema, identifier]?.revision ?? 1
            state[schema, identifier] = nil
            return RecordReceipt(identifier: identifier, revision: known)
        }
        if answer.status == 202 {
            throw StoreError.unavailable(
                "the server has accepted the \(schema.name), and writes it later",
                .unknown
            )
        }
        let isCreated = write.isCreation || (write.kind == .saving && answer.status == 201)
        let made = state.next()
        let http = answer.response.http
        // Such a text is for people, as the `OK` of Express, and its tag is its own.
        let isText = !write.isCreation && http.isPlainText
        guard answer.response.value != nil || !http.body.isEmpty && !isText else {
            guard let identifier = identifier(of: answer, write) else {
                throw StoreError.unavailable(
                    "the \(schema.name) is created, but the server does not say its identifier",
                    .applied
                )
            }
            let tag = dialect.honoursIfMatch && !isText ? answer.tag : nil
            // Without a hash, so that what comes next is no version of before, whatever it has.
            var next = RemoteState.Tag(revision: made, tag: tag, moment: made)
            if let sent = sentRevision(by: nil, tag, to: write) {
                (next.revision, next.isFromServer) = (sent, true)
            }
            next.pathIdentifier = written(write)
            next.nulls = nulls(of: write)
            let revision = keep(next, schema, identifier, isRead: false)
            return RecordReceipt(identifier: identifier, revision: revision, isNew: isCreated)
        }
        let object = try object(of: answer)
        let found: Record?
        do {
            found = try record(
                of: object,
                schema,
                identifier(of: answer, write),
                revision: made,
                tag: answer.tag,
                of: write
            )
        } catch let error as StoreError {
            // Whatever is wrong with the answer, the write is made.
            throw StoreError.unavailable("the write is made, but \(error.description)", .applied)
        }
        guard let record = found else {
            throw rubbish(answer, "something else than \(schema.name)")
        }
        return RecordReceipt(of: record, isNew: isCreated)
    }

    /// What a write has set of the field that stands for the identifier in paths.
    func written(_ write: RemoteWrite) -> Identifier? {
        router.identifierKey(of: write.schema).flatMap { write.values[$0] }
            .flatMap { try? Identifier(attributeValue: $0) }
    }

    /// Whether a write has left null in fields, by their places, where whole models are put.
    func nulls(of write: RemoteWrite) -> [Int: Bool] {
        guard dialect.updateMethod == .put else { return [:] }
        var nulls: [Int: Bool] = [:]
        for (slot, entry) in write.schema.fields.enumerated() {
            // The null of a new record may not be sent.
            guard let value = write.values[entry.key], !value.isNull || !write.isCreation else {
                continue
            }
            nulls[slot] = value.isNull
        }
        return nulls
    }

    /// The identifier of the record that was written, if the answer has no record.
    private func identifier(of answer: RemoteAnswer, _ write: RemoteWrite) -> Identifier? {
        // The server may have made another one than was made here.
        let isMadeHere = write.isCreation && write.write.hasIdentifier == false
        if !isMadeHere, let identifier = write.identifier { return identifier }
        return location(of: answer, write) ?? write.identifier
    }

    /// The identifier that `Location` ends with, if it is below the collection.
    private func location(of answer: RemoteAnswer, _ write: RemoteWrite) -> Identifier? {
        guard answer.status == 201, let address = answer.response.http.headers["Location"],
            let entry = write.schema.identifier, router.identifierKey(of: write.schema) == nil
        else { return nil }
        let place = RemotePlace(store.origin)
        guard
            let found = URLReference(address)?
                .resolved(against: place.origin, place.path + write.request.path)?.target,
            !found.utf8.contains(UInt8(ascii: "?"))
        else { return nil }
        var segments = router.segmentsWithoutSuffix(of: found)
        guard let segment = segments.popLast() else { return nil }
        let collections = [write.request.path, try? router.path(of: Route(write.schema))]
        let isBelow = collections.contains { path in
            guard let path else { return false }
            let collection = router.segmentsWithoutSuffix(of: place.path + path)
            return collection.elementsEqual(segments) { $0.elementsEqual($1) }
        }
        guard isBelow, let bytes = PercentEncoding.decode(Array(segment), where: { _ in true }),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return entry.kind == .int ? Int64(text).map { .int($0) } : .string(text)
    }
}

extension RecordReceipt {
    init(of record: Record, isNew: Bool) {
        let (identifier, revision) = (record.identifier, record.revision)
        self.init(identifier: identifier, revision: revision, record: record, isNew: isNew)
    }
}
