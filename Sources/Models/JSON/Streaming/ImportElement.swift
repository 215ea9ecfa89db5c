public import ModelKitFields
public import ModelKitEssentials

/// A model of what is imported, or why there is none.
///
/// ```swift
/// for try await element in Person.stream(contentsOf: url).elements {
///     switch element.model {
///     case .success(let person): keep(person)
///     case .failure(let error): print("\(element.path) is left out:", error)   // [3] is left out: …
///     }
/// }
/// ```
public struct ImportElement<M: Model>: Sendable {
    /// Where it stands in what is imported.
    public var path: FieldPath
    /// The model; or what is wrong, with paths in the element.
    public var model: Result<M, ImportError>

    public init(path: FieldPath, _ model: Result<M, ImportError>) {
        self.path = path
        self.model = model
    }
}

/// The elements of a stream, of which those that are no models do not end it.
///
/// ```swift
/// let elements = Person.stream(contentsOf: url).elements
/// ```
///
/// What is not JSON ends it, as does a file that cannot be read.
public struct ModelElements<M: Model, Chunks: AsyncSequence>: AsyncSequence
where Chunks.Element == Data {
    public typealias Element = ImportElement<M>

    let stream: ModelStream<M, Chunks>

    public func makeAsyncIterator() -> Iterator { Iterator(stream, refusing: true) }

    /// Gives the elements of a stream.
    ///
    /// ```swift
    /// var people = Person.stream(contentsOf: url).elements.makeAsyncIterator()
    /// let first = try await people.next()
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: Chunks.AsyncIterator
        private var reader: ModelArrayReader<M>
        private let progress: @Sendable (ImportProgress) -> Void
        private let isRefusing: Bool
        /// The elements that wait, the next one last.
        private var waiting: [Element] = []
        private var isAtEnd = false

        init(_ stream: ModelStream<M, Chunks>, refusing isRefusing: Bool) {
            chunks = stream.chunks.makeAsyncIterator()
            (reader, progress, self.isRefusing) = (stream.reader, stream.progress, isRefusing)
        }

        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Element? {
            while true {
                try Task.checkCancellation()
                if let element = waiting.popLast() { return element }
                if isAtEnd { return nil }
                do {
                    // More bytes may be long in coming.
                    if let failure = reader.failure { throw failure }
                    if let chunk = try await chunks.next(isolation: actor) {
                        waiting = try reader.elements(of: chunk, refusing: isRefusing).reversed()
                        progress(reader.progress)
                    } else {
                        isAtEnd = true
                        try reader.finish()
                    }
                } catch {
                    isAtEnd = true
                    throw error
                }
            }
        }
    }
}

extension ModelElements: Sendable where Chunks: Sendable {}
