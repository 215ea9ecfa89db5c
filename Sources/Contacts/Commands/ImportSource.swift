import Foundation
import ModelKit

/// The JSON of a file or of the input, and what its records are.
struct ImportSource {
    enum Kind: String {
        case people, offices
    }

    let file: String
    let kind: Kind
    let chunks: FileChunks

    /// Reads as much of a file as shows what it is.
    init(file: String) throws(Failure) {
        var chunks = try FileChunks(file)
        kind = try Self.kind(of: &chunks)
        (self.file, self.chunks) = (file, chunks)
    }

    /// How much is read to know what the records are.
    private static let limit = 32 << 20

    /// What the records are, by the first that shows it; an empty list is one of people.
    private static func kind(of chunks: inout FileChunks) throws(Failure) -> Kind {
        let report = ImportReport()
        var reader = ModelArrayReader<Sample>(policy: .skipInvalid(report))
        do {
            while chunks.countRead < limit, let chunk = try chunks.readAhead() {
                for sample in try reader.read(chunk) { if let kind = sample.kind { return kind } }
            }
            if chunks.countRead < limit { try reader.finish() }
            if reader.progress.modelCount == 0, report.issues.isEmpty { return .people }
        } catch let error as Failure {
            throw error
        } catch {
            // What is JSON, but no array.
            while chunks.countRead < limit, try chunks.readAhead() != nil {}
            if (try? AttributeValue(json: chunks.ahead)) == nil {
                throw .unreadable("\(chunks.file) \(error)")
            }
        }
        throw .unreadable("\(chunks.file) is not a JSON array of people or of offices")
    }
}

/// A record, as far as it shows what it is.
private final class Sample: Model {
    let offices = Field<AttributeValue>()
    let terms = Field<AttributeValue>()
    let id = Field<AttributeValue>()
    let name = Field<AttributeValue>()

    var kind: ImportSource.Kind? {
        if case .array? = offices.value { return .offices }
        if case .array? = terms.value { return .people }
        if case .dictionary? = id.value, case .dictionary? = name.value { return .people }
        return nil
    }
}

/// The bytes of a file or of the input, which is read once.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let file: String
    /// How many bytes there are; nil where that cannot be known.
    let byteCount: Int?
    /// What was read before the sequence begins.
    private(set) var ahead = Data()
    private let handle: FileHandle

    init(_ file: String) throws(Failure) {
        self.file = file
        if file == "-" {
            (handle, byteCount) = (.standardInput, nil)
            return
        }
        let files = FileManager.default
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw .unreadable(
                "\(file) \(files.fileExists(atPath: file) ? "cannot be read" : "does not exist")"
            )
        }
        self.handle = handle
        let attributes = try? files.attributesOfItem(atPath: file)
        byteCount =
            attributes?[.type] as? FileAttributeType == .typeRegular
            ? attributes?[.size] as? Int : nil
    }

    var countRead: Int { ahead.count }

    /// Reads the next bytes, which the sequence gives, too.
    mutating func readAhead() throws(Failure) -> Data? {
        let chunk = try Self.read(handle, file)
        if let chunk { ahead += chunk }
        return chunk
    }

    private static func read(_ handle: FileHandle, _ file: String) throws(Failure) -> Data? {
        do {
            let chunk = try handle.read(upToCount: 64 << 10)
            return chunk?.isEmpty == false ? chunk : nil
        } catch {
            throw .unreadable("\(file) cannot be read")
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: FileChunks

        mutating func next() async throws -> Data? {
            if chunks.ahead.isEmpty { return try FileChunks.read(chunks.handle, chunks.file) }
            defer { chunks.ahead = Data() }
            return chunks.ahead
        }
    }
}
