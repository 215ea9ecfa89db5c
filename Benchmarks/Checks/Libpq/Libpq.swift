import Foundation
import ModelKitPostgreSQL

/// A connection by libpq's C functions, with statements that are prepared once and values in the binary format: what
/// everything else stands on. Errors end the program.
///
/// It goes to where libpq's environment leads, as `.ci/postgresql` sets it.
// Safe: one thread after the other uses it.
public final class Libpq: @unchecked Sendable {
    private static let functions: PostgreSQLLibrary.Functions = {
        for name in ["libpq.so.5", "libpq.5.dylib"] {
            guard let library = dlopen(name, RTLD_NOW) else { continue }
            let functions = try? PostgreSQLLibrary.Functions { name in
                UnsafeRawPointer(dlsym(library, name))
            }
            if let functions { return functions }
        }
        preconditionFailure("there is no libpq")
    }()

    /// Whether there is a server for it.
    public static let hasServer = ProcessInfo.processInfo.environment["MODELKIT_SERVER"] != nil

    private let functions = Libpq.functions
    private let connection: OpaquePointer?

    public init() {
        let none: [UnsafePointer<CChar>?] = [nil]
        connection = functions.connectStartParams(none, none, 0)
        var events = Int16(POLLOUT)
        while true {
            var descriptor = pollfd(fd: functions.socket(connection), events: events, revents: 0)
            poll(&descriptor, 1, 1_000)
            switch functions.connectPoll(connection) {
            case 1: events = Int16(POLLIN)
            case 2: events = Int16(POLLOUT)
            case 3: return
            default: preconditionFailure(Self.text(functions.errorMessage(connection)))
            }
        }
    }

    deinit { functions.finish(connection) }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
        bytes.map { String(cString: $0) } ?? ""
    }

    /// Runs statements that are given as a text.
    public func execute(_ sql: String) {
        precondition(functions.sendQuery(connection, sql) == 1)
        finish()
    }

    /// Runs one that gives a text.
    public func text(_ sql: String) -> String {
        precondition(functions.sendQuery(connection, sql) == 1)
        var text = ""
        finish { functions, result in
            text = Self.text(functions.getvalue(result, 0, 0))
        }
        return text
    }

    public func prepare(_ name: String, _ sql: String, _ types: [UInt32]) {
        precondition(functions.sendPrepare(connection, name, sql, Int32(types.count), types) == 1)
        finish()
    }

    /// Runs a statement that was prepared; its rows are in the binary format.
    public func run(_ name: String, _ values: LibpqValues, _ body: ((Rows) -> Void)? = nil) {
        values.withPointers { pointers, lengths, formats in
            precondition(
                functions.sendQueryPrepared(
                    connection,
                    name,
                    Int32(lengths.count),
                    pointers,
                    lengths,
                    formats,
                    1
                ) == 1
            )
        }
        finish { functions, result in body?(Rows(functions, result)) }
    }

    /// Runs a COPY in the binary format, of rows that the closure appends by and by until it gives false.
    public func copy(_ sql: String, _ append: (inout [UInt8]) -> Bool) {
        precondition(functions.sendQuery(connection, sql) == 1)
        let result = functions.getResult(connection)
        // It wants the rows now.
        precondition(functions.resultStatus(result) == 4)
        functions.clear(result)
        var bytes = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + Array(repeating: 0, count: 8)
        func put() {
            bytes.withUnsafeBytes { bytes in
                let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
                precondition(functions.putCopyData(connection, start, Int32(bytes.count)) == 1)
            }
            bytes.removeAll(keepingCapacity: true)
        }
        while append(&bytes) { if bytes.count >= 1 << 16 { put() } }
        bytes.append(bigEndian: Int16(-1))
        put()
        precondition(functions.putCopyEnd(connection, nil) == 1)
        finish()
    }

    private func finish(
        _ body: ((PostgreSQLLibrary.Functions, OpaquePointer?) -> Void)? = nil
    ) {
        while let result = functions.getResult(connection) {
            guard [1, 2].contains(functions.resultStatus(result)) else {
                preconditionFailure(Self.text(functions.resultErrorMessage(result)))
            }
            body?(functions, result)
            functions.clear(result)
        }
    }

    /// The rows of an answer, as long as it is read.
    public struct Rows {
        private let functions: PostgreSQLLibrary.Functions
        private let result: OpaquePointer?
        public let count: Int

        fileprivate init(_ functions: PostgreSQLLibrary.Functions, _ result: OpaquePointer?) {
            (self.functions, self.result) = (functions, result)
            count = Int(functions.ntuples(result))
        }

        @inline(__always)
        private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: functions.getvalue(result, Int32(row), Int32(column)),
                count: Int(functions.getlength(result, Int32(row), Int32(column)))
            )
        }

        public func int(_ row: Int, _ column: Int) -> Int64 {
            Int64(bigEndian: bytes(row, column).loadUnaligned(as: Int64.self))
        }

        public func double(_ row: Int, _ column: Int) -> Double {
            Double(bitPattern: UInt64(bitPattern: int(row, column)))
        }

        public func bool(_ row: Int, _ column: Int) -> Bool { bytes(row, column)[0] != 0 }

        public func text(_ row: Int, _ column: Int) -> String {
            String(decoding: bytes(row, column), as: UTF8.self)
        }
    }
}

/// Values of parameters in the binary format, one after the other.
public struct LibpqValues {
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    public init() {}

    private mutating func append<Number: FixedWidthInteger>(number: Number) {
        starts.append(bytes.count)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func append(_ number: Int64) { append(number: number) }
    public mutating func append(_ number: Int32) { append(number: number) }
    public mutating func append(_ number: Double) { append(number: number.bitPattern) }
    public mutating func append(_ flag: Bool) { append(number: UInt8(flag ? 1 : 0)) }

    public mutating func append(_ text: String) {
        starts.append(bytes.count)
        bytes.append(contentsOf: text.utf8)
    }

    public mutating func append(_ uuid: UUID) {
        starts.append(bytes.count)
        withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    }

    /// An array of integers.
    public mutating func append(_ numbers: [Int64]) {
        append(array: numbers.count, of: 20) { index, bytes in
            bytes.append(bigEndian: Int32(8))
            bytes.append(bigEndian: numbers[index])
        }
    }

    /// An array of so many elements of a type, each written with its length before it.
    public mutating func append(
        array count: Int,
        of type: UInt32,
        _ write: (Int, inout [UInt8]) -> Void
    ) {
        starts.append(bytes.count)
        for number in [1, 0, Int32(bitPattern: type), Int32(count), 1] {
            bytes.append(bigEndian: number)
        }
        for index in 0..<count { write(index, &bytes) }
    }

    fileprivate func withPointers(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Void
    ) {
        let ends = starts.dropFirst() + [bytes.count]
        bytes.withUnsafeBytes { all in
            let base = all.assumingMemoryBound(to: CChar.self).baseAddress
            body(
                starts.map { base?.advanced(by: $0) },
                zip(starts, ends).map { Int32($1 - $0) },
                Array(repeating: 1, count: starts.count)
            )
        }
    }
}

extension [UInt8] {
    public mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
