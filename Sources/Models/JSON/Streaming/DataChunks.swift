public import ModelKitEssentials

/// The bytes of a file or of data, in pieces of 64 KiB.
///
/// ```swift
/// let people = Person.stream(json: json)   // a ModelStream<Person, DataChunks>
/// ```
public struct DataChunks: AsyncSequence, Sendable {
    public typealias Element = Data

    enum Source: Sendable {
        case data(Data)
        case file(String)
        case unreadable(FileError)
    }

    let source: Source
    private static let size = 64 << 10

    /// How many bytes there are; nil where that cannot be asked.
    var byteCount: Int? {
        switch source {
        case .data(let data): return data.count
        case .file(let path):
            var status = stat()
            // Of what is no file, and of files that the system makes as they are read, the size is 0.
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
            else { return nil }
            return Int(status.st_size)
        case .unreadable: return nil
        }
    }

    /// Those of a file; a URL that leads to none on this machine is reported when they are read.
    static func of(_ url: URL) -> DataChunks {
        if url.isFileURL { return DataChunks(source: .file(url.path)) }
        let error = FileError(path: url.absoluteString, code: ENOTSUP)
        return DataChunks(source: .unreadable(error))
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Gives the pieces in order.
    ///
    /// ```swift
    /// let stream = Person.stream(contentsOf: url)
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
        private let source: Source
        private var position = 0
        private var file: OpenFile?

        init(_ source: Source) { self.source = source }

        public mutating func next() async throws -> Data? {
            switch source {
            case .data(let data):
                let end = Swift.min(position + DataChunks.size, data.count)
                if position == end { return nil }
                defer { position = end }
                let first = data.startIndex
                return data[(first + position)..<(first + end)]
            case .file(let path):
                if file == nil { file = try OpenFile(path) }
                let bytes = try file?.read(upTo: DataChunks.size) ?? Data()
                return bytes.isEmpty ? nil : bytes
            case .unreadable(let error): throw error
            }
        }
    }
}

/// That a file cannot be read.
///
/// ```swift
/// do { for try await person in Person.stream(contentsOf: url) { keep(person) } }
/// catch let error as FileError { print(error) }   // /no/such: No such file or directory
/// ```
public struct FileError: LocalizedError, Hashable, CustomStringConvertible {
    public let path: String
    /// The number of the error as the system calls it.
    public let code: Int32

    public var description: String { "\(path): \(String(cString: strerror(code)))" }
    public var errorDescription: String? { description }
}

/// A file that is open for reading until nobody holds it.
private final class OpenFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw FileError(path: path, code: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(upTo size: Int) throws(FileError) -> Data {
        var data = Data(count: size)
        while true {
            let (count, code) = data.withUnsafeMutableBytes { bytes in
                (readBytes(descriptor, bytes.baseAddress, size), errno)
            }
            if count >= 0 { return data.prefix(count) }
            if code != EINTR { throw FileError(path: path, code: code) }
        }
    }
}

/// The function of the system, which a method of the same name hides.
private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    bytes.map { read(descriptor, $0, size) } ?? 0
}
