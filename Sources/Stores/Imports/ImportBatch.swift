import ModelKitModels
import ModelKitPromises

/// Models that are written together, as records.
final class ImportBatch: Sendable {
    /// What a batch is made of.
    struct Contents: Sendable {
        fileprivate var writes: [RecordWrite] = []
        /// Where they stand, and their places among all elements of the batch.
        fileprivate var places: [(path: FieldPath, number: Int)] = []
        /// What is refused before it is written, by places among all elements.
        fileprivate var refused: [(number: Int, refusal: ImportRefusal)] = []
        private var weight = 0
        private var weightOfModels = 0

        var count: Int { writes.count + refused.count }
        /// Whether it has so much that it is to be written.
        var isFull: Bool { count >= 500 || weight >= 4 << 20 }

        /// How many models like these are to be checked at once, and how many such groups may wait for that.
        ///
        /// All in a megabyte if possible, but no more in a group than make it worth while to have another task check
        /// them, and stay in the caches; nil where none is weighed.
        var pace: (groupSize: Int, groupCount: Int)? {
            if writes.isEmpty { return nil }
            let fitting = max((writes.count << 20) / max(weightOfModels, 1), 1)
            let size = min(fitting, 16)
            return (size, min(fitting / size, 4))
        }

        init() {}

        /// Some models, or why there are none.
        ///
        /// - Parameters:
        ///   - elements: The models.
        ///   - session: The session of the store.
        ///   - takesJSON: Whether the store takes JSON in place of models.
        ///   - note: Called after each model with about how many bytes they take so far.
        /// - Throws: What `beforeSave` throws, if that are no issues, `.unsupported` where a model can be given no
        ///   identifier, and `CancellationError`.
        init(
            of elements: [ImportElement<some Model>],
            _ session: StoreSession,
            takingJSON takesJSON: Bool,
            noting note: (_ weight: Int) -> Void
        ) throws {
            for element in elements {
                try Task.checkCancellation()
                try add(element, session, takesJSON)
                note(weightOfModels)
            }
        }

        mutating func append(_ other: Self) {
            let count = count
            writes += other.writes
            places += other.places.map { ($0.path, $0.number + count) }
            refused += other.refused.map { ($0.number + count, $0.refusal) }
            weight += other.weight
        }

        private mutating func add<M: Model>(
            _ element: ImportElement<M>,
            _ session: StoreSession,
            _ takesJSON: Bool
        ) throws {
            let model: M
            switch element.model {
            case .success(let made): model = made
            case .failure(let error): return refuse(element.path, nil, error.issues)
            }
            do {
                let write = try RecordWrite(importing: model, session, takingJSON: takesJSON)
                let weights = write.weights
                (weight, weightOfModels) = (weight + weights.record, weightOfModels + weights.model)
                places.append((element.path, count))
                writes.append(write)
            } catch let error as any IssuesError where !error.issues.isEmpty {
                refuse(element.path, model.identifier, error.issues)
            }
        }

        private mutating func refuse(
            _ path: FieldPath,
            _ identifier: Identifier?,
            _ issues: [Issue]
        ) {
            let refusal = ImportRefusal(path: path, identifier: identifier, issues: issues)
            refused.append((count, refusal))
        }
    }

    private let contents: Contents
    /// Why some are refused, by their places among the writes, once they are written.
    private let written = Promise<[Int: StoreError]>.withResolvers()

    init(_ contents: Contents) { self.contents = contents }

    /// Writes it.
    ///
    /// - Returns: Why some are refused, by their places among the writes.
    func write(to transaction: any RecordTransaction) throws(StoreError) -> [Int: StoreError] {
        contents.writes.isEmpty ? [:] : try transaction.insert(contents.writes)
    }

    /// Notes that it is written, but for what is refused.
    func succeed(_ refused: [Int: StoreError]) { written.resolver.fulfill(refused) }

    /// Notes that it is not written.
    func fail(_ error: any Error) {
        // Who waits for the transaction has it.
        written.promise.observe { _ in }
        written.resolver.reject(error)
    }

    /// Adds what was made of it to a summary, once that is known.
    ///
    /// - Returns: What was refused, in its order.
    func add(to summary: inout ImportSummary) async throws -> [ImportRefusal] {
        let errors = try await written.promise.outcome().get()
        summary.createdCount += contents.writes.count - errors.count
        let late = errors.map { index, error in
            let (path, number) = contents.places[index]
            return (number, error.refusal(of: contents.writes[index], at: path))
        }
        let refused = (contents.refused + late).sorted { $0.0 < $1.0 }.map { $0.1 }
        for refusal in refused { summary.add(refusal) }
        return refused
    }
}

extension Promise {
    /// What it is settled with, for which also a cancelled task waits.
    func outcome() async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            observe { continuation.resume(returning: $0) }
        }
    }
}

extension StoreError {
    /// Why a record is refused.
    fileprivate func refusal(of write: RecordWrite, at path: FieldPath) -> ImportRefusal {
        let identifier = write.creation?.identifier
        var issues = issues
        if case .alreadyExists(_, let identifier, nil) = self {
            let path = write.schema.identifier?.path ?? []
            let message = "\(identifier) is stored already"
            issues = [Issue(code: "unique", path: path, message: message)]
        } else if issues.isEmpty {
            issues = [Issue(code: code, message: description)]
        }
        return ImportRefusal(path: path, identifier: identifier, issues: issues)
    }
}
