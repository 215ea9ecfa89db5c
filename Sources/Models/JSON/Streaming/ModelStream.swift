public import ModelKitFields
public import ModelKitEssentials

/// The models of a JSON array whose bytes come bit by bit: from a file, a connection, a process.
///
/// ```swift
/// for try await person in Person.stream(contentsOf: url) {
///     try await store.create(person).value
/// }
/// ```
///
/// Bytes are asked for when the models of those before are used up, so what is read never runs ahead of
/// the loop. When the task is cancelled the next step throws a `CancellationError`. An error ends the
/// sequence; the models before it are given. In ``elements`` one that concerns a single element does not.
public struct ModelStream<M: Model, Chunks: AsyncSequence>: AsyncSequence
where Chunks.Element == Data {
    public typealias Element = M

    let chunks: Chunks
    let reader: ModelArrayReader<M>
    let progress: @Sendable (ImportProgress) -> Void

    public func makeAsyncIterator() -> Iterator {
        Iterator(elements: ModelElements<M, Chunks>.Iterator(self, refusing: false))
    }

    /// The same, where elements that are no models, or have values that do not fit, do not end the sequence: each
    /// says what is wrong with it.
    public var elements: ModelElements<M, Chunks> { ModelElements(stream: self) }

    /// Gives the models of a stream.
    ///
    /// ```swift
    /// var people = Person.stream(contentsOf: url).makeAsyncIterator()
    /// let first = try await people.next()
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
        var elements: ModelElements<M, Chunks>.Iterator

        public mutating func next() async throws -> M? { try await next(isolation: nil) }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> M? {
            try await elements.next(isolation: actor)?.model.get()
        }
    }
}

extension ModelStream: Sendable where Chunks: Sendable {}

extension Model {
    /// The models of a JSON array whose bytes come in chunks.
    ///
    /// - Parameters:
    ///   - chunks: The bytes, in order; how they are cut does not matter.
    ///   - byteCount: How many there are, if that is known, for the progress.
    ///   - context: How models are written there.
    ///   - policy: What happens to values that do not fit. A strict import ends at the first element
    ///     that has some.
    ///   - options: What else is asked of the text.
    ///   - progress: Called after every chunk with how far the import is, by the task that reads.
    /// - Returns: A sequence that begins to read when it is asked for the first model.
    public static func stream<Chunks: AsyncSequence>(
        _ chunks: Chunks,
        byteCount: Int? = nil,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions(),
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) -> ModelStream<Self, Chunks> where Chunks.Element == Data {
        ModelStream(
            chunks: chunks,
            reader: ModelArrayReader(
                in: context,
                policy: policy,
                options: options,
                byteCount: byteCount
            ),
            progress: progress
        )
    }

    /// The models of a JSON array, made one after the other.
    ///
    /// - Parameters:
    ///   - json: The array, in UTF-8.
    ///   - context: How models are written there.
    ///   - policy: What happens to values that do not fit. A strict import ends at the first element
    ///     that has some.
    ///   - options: What else is asked of the text.
    ///   - progress: Called after every chunk with how far the import is, by the task that reads.
    /// - Returns: A sequence that begins to read when it is asked for the first model.
    public static func stream(
        json: Data,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions(),
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) -> ModelStream<Self, DataChunks> {
        stream(
            DataChunks(source: .data(json)),
            byteCount: json.count,
            in: context,
            policy: policy,
            options: options,
            progress: progress
        )
    }

    /// The models of a file with a JSON array, made one after the other.
    ///
    /// Of the file no more is in memory than a chunk and an element.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - context: How models are written there.
    ///   - policy: What happens to values that do not fit. A strict import ends at the first element
    ///     that has some.
    ///   - options: What else is asked of the text.
    ///   - progress: Called after every chunk with how far the import is, by the task that reads.
    /// - Returns: A sequence that opens the file when it is asked for the first model, and throws a
    ///   `FileError` if it cannot be read, or the URL is not that of a file.
    public static func stream(
        contentsOf url: URL,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions(),
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) -> ModelStream<Self, DataChunks> {
        let chunks = DataChunks.of(url)
        return stream(
            chunks,
            byteCount: chunks.byteCount,
            in: context,
            policy: policy,
            options: options,
            progress: progress
        )
    }
}
