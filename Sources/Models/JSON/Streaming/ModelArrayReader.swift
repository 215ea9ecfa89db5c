public import ModelKitFields
public import ModelKitEssentials

/// Makes models of a JSON array of objects whose bytes come bit by bit.
///
/// ```swift
/// var reader = ModelArrayReader<Person>()
/// for chunk in chunks {
///     for person in try reader.read(chunk) { keep(person) }
/// }
/// try reader.finish()
/// ```
///
/// It holds the bytes of one element and what came with its end, so memory does not grow with the
/// array. `Person.stream` does the same for asynchronous chunks and files.
public struct ModelArrayReader<M: Model>: Sendable {
    /// How far it is.
    public private(set) var progress: ImportProgress

    private let context: ValueTransformerContext
    private let policy: ImportPolicy
    private let options: JSONOptions
    private let elementLimit: Int

    private enum State: Sendable {
        case beforeArray
        /// After `[`, where the array may end.
        case beforeFirst
        case beforeElement
        case inElement
        case afterElement
        case afterArray
        case failed(ImportError)
    }

    private var state = State.beforeArray
    private var buffer: [UInt8] = []
    /// The byte of the buffer that is next.
    private var position = 0
    /// The last byte of the buffer that is of no number: one behind it may go on in the next bytes.
    private var lastSafe = 0
    /// A byte of the buffer, not after the next one, whose place in the text is known.
    private var counted = 0
    private var countedPlace = JSONPlace.start
    private var scanner = ElementScanner()
    /// With so many bytes an element is read before its end is looked for, as it is probably there.
    private var probableLength = 0
    private var index = 0
    private var isAtEnd = false
    private var isRefusing = false
    /// The models behind foreign keys: one of each identifier, as in an array that is read at once, but
    /// without those that refer to it, so that it keeps none of them.
    private var foreignKeys: IdentityMap?

    /// - Parameters:
    ///   - context: How models are written there.
    ///   - policy: What happens to values that do not fit. A strict import ends at the first element
    ///     that has some; one that skips leaves out what is no object, too.
    ///   - options: What else is asked of the text.
    ///   - elementLimit: How many bytes one element may have.
    ///   - byteCount: How many bytes there are, if that is known.
    public init(
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict,
        options: JSONOptions = JSONOptions(),
        elementLimit: Int = 16 << 20,
        byteCount: Int? = nil
    ) {
        self.context = context
        self.policy = policy
        self.options = options
        self.elementLimit = elementLimit
        progress = ImportProgress(byteCount: 0, totalByteCount: byteCount, modelCount: 0)
    }

    /// What was wrong, which every later call throws.
    var failure: ImportError? { if case .failed(let error) = state { error } else { nil } }

    /// Takes the next bytes, as many or few as there are.
    ///
    /// - Returns: The models that end in them.
    /// - Throws: An `ImportError` with the place in the whole text, now and at every later call. Models
    ///   that come before it in the same bytes are given first, and it is thrown by the next call.
    public mutating func read(_ chunk: Data) throws(ImportError) -> [M] {
        try elements(of: chunk, refusing: false).compactMap { try? $0.model.get() }
    }

    /// The elements that end in the next bytes.
    ///
    /// - Parameters:
    ///   - chunk: The bytes.
    ///   - isRefusing: Whether an element with values that do not fit is given as a failure.
    /// - Returns: The elements.
    /// - Throws: As `read` does, for what is not refused.
    mutating func elements(
        of chunk: Data,
        refusing isRefusing: Bool
    ) throws(ImportError) -> [ImportElement<M>] {
        if let failure { throw failure }
        progress.byteCount += chunk.count
        if let last = chunk.lastIndex(where: { !Self.isOfNumber($0) }) {
            lastSafe = buffer.count + (last - chunk.startIndex)
        }
        buffer.append(contentsOf: chunk)
        self.isRefusing = isRefusing
        var elements: [ImportElement<M>] = []
        do throws(ImportError) {
            while try step(into: &elements) {}
        } catch {
            state = .failed(error)
            if elements.isEmpty { throw error }
        }
        // Of the bytes that were read the lines are counted.
        _ = place()
        buffer.removeFirst(position)
        lastSafe = max(lastSafe - position, 0)
        (position, counted) = (0, 0)
        return elements
    }

    /// Says that there are no more bytes.
    ///
    /// - Throws: An `ImportError` if the array has not ended.
    public mutating func finish() throws(ImportError) {
        if let failure { throw failure }
        isAtEnd = true
        var elements: [ImportElement<M>] = []
        do throws(ImportError) {
            while try step(into: &elements) {}
            switch state {
            case .afterArray, .failed: return
            case .beforeArray: throw failure { $0.failure("the text is empty") }
            case .beforeFirst, .beforeElement: throw failure { $0.expected("a value") }
            case .afterElement: throw failure { $0.expected("',' or ']'") }
            case .inElement: throw syntaxError(nil)
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Takes one step; false where more bytes are needed.
    private mutating func step(
        into elements: inout [ImportElement<M>]
    ) throws(ImportError) -> Bool {
        if case .inElement = state {
            let foreignKeys = foreignKeys ?? IdentityMap(linksShells: false)
            self.foreignKeys = foreignKeys
            let isAhead = scanner.position == 0 && buffer.count - position >= probableLength
            if isAhead, let (model, length) = readAhead(foreignKeys) {
                append(.success(model), to: &elements)
                probableLength = length
                pass(length)
                return true
            }
            let length = buffer.withUnsafeBytes { bytes in
                scanner.end(in: UnsafeRawBufferPointer(rebasing: bytes[position...]))
            }
            guard (length ?? buffer.count - position) <= elementLimit else {
                let message = "an element of more than \(elementLimit) bytes"
                throw failure { $0.failure(message) }
            }
            guard let length else { return false }
            // Others are probably like this one.
            probableLength = isAhead || probableLength == .max ? .max : length
            var refusal: ImportError?
            do throws(ImportError) {
                let model = try Linking.afterwards(of: M.self) { () throws(ImportError) in
                    try readElement(ofLength: length, foreignKeys, &refusal)
                }
                if let model { append(.success(model), to: &elements) }
            } catch {
                guard let refusal else { throw error }
                append(.failure(refusal), to: &elements)
            }
            pass(length)
            return true
        }
        if case .beforeArray = state, countedPlace.byte == 0, position == 0 {
            // Three bytes show whether there is a mark of the byte order.
            if buffer.first == 0xEF, buffer.count < 3 { return false }
            if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        }
        while position < buffer.count, Self.isSpace(buffer[position]) { position += 1 }
        guard position < buffer.count else { return false }
        let byte = buffer[position]
        // No such byte is right here, but all of its scalar is to be named.
        if byte >= 0x80, buffer.count - position < 4, !isAtEnd { return false }
        switch state {
        case .beforeArray:
            guard byte == UInt8(ascii: "[") else { throw failure { $0.expected("'['") } }
            guard options.maximumDepth > 0 else {
                throw failure { $0.failure("it is nested deeper than 0 levels") }
            }
            state = .beforeFirst
        case .beforeFirst where byte == UInt8(ascii: "]"),
            .afterElement where byte == UInt8(ascii: "]"):
            state = .afterArray
        case .beforeFirst, .beforeElement:
            scanner = ElementScanner()
            state = .inElement
            return true
        case .afterElement:
            guard byte == UInt8(ascii: ",") else { throw failure { $0.expected("',' or ']'") } }
            state = .beforeElement
        case .afterArray, .inElement, .failed:
            throw failure { $0.expected("the end of the text") }
        }
        position += 1
        return true
    }

    private mutating func append(
        _ result: Result<M, ImportError>,
        to elements: inout [ImportElement<M>]
    ) {
        if case .success = result { progress.modelCount += 1 }
        elements.append(ImportElement(path: [.index(index)], result))
    }

    /// Moves behind an element.
    private mutating func pass(_ length: Int) {
        position += length
        index += 1
        state = .afterElement
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte | 0x20 == UInt8(ascii: "e")
            || (UInt8(ascii: "+")...UInt8(ascii: ".")).contains(byte)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Reads the element that begins at the next byte straight to the fields, if all of it is there.
    ///
    /// - Parameter foreignKeys: The models behind foreign keys.
    /// - Returns: The model, and how long the element is; nil where its end has to be looked for.
    private func readAhead(_ foreignKeys: IdentityMap) -> (M, Int)? {
        if options.duplicateKeys == .refused || buffer[position] != UInt8(ascii: "{") { return nil }
        var scope = ImportScope(in: context, policy: policy)
        scope.references = foreignKeys
        return withElement { bytes in
            // A number at the end may continue in the next bytes, and would be set as another one.
            let end = max(lastSafe - position, 0)
            var reader = reader(of: UnsafeRawBufferPointer(rebasing: bytes[...end]))
            let model = Linking.afterwards(of: M.self) {
                Linking.attempt { () -> M? in
                    let model = Linking.making(M.self)
                    let isRead = try? reader.read(model, in: &scope)
                    return isRead == true && reader.position <= elementLimit ? model : nil
                }
            }
            return model.map { ($0, reader.position) }
        }
    }

    /// Reads the element that begins at the next byte.
    ///
    /// - Parameters:
    ///   - length: How long it is.
    ///   - foreignKeys: The models behind foreign keys.
    ///   - refusal: What is thrown, where that does not end the import.
    /// - Returns: The model; nil where it is left out.
    /// - Throws: What is wrong with the element.
    private mutating func readElement(
        ofLength length: Int,
        _ foreignKeys: IdentityMap,
        _ refusal: inout ImportError?
    ) throws(ImportError) -> M? {
        var scope = ImportScope(in: context, policy: policy)
        scope.references = foreignKeys
        let result = withElement { bytes in
            Result { () throws(JSONReader.Failure) in
                var reader = reader(of: bytes)
                let model =
                    options.duplicateKeys == .refused
                    ? try reader.readModelByValues(M.self, at: [], in: &scope)
                    : try reader.readModel(M.self, at: [], in: &scope)
                guard reader.position == length else { throw reader.expected("',' or ']'") }
                return model
            }
        }
        let model: M?
        switch result {
        case .success(let read): model = read
        case .failure(let failure):
            let error = syntaxError(failure)
            if failure.isJSON, isRefusing, case .strict = policy, isJSON(ofLength: length) {
                refusal = error.inElement
            }
            throw error
        }
        if scope.issues.isEmpty { return model }
        let start = place()
        let places = withElement { bytes in
            JSONPlaces(of: scope.issues, in: bytes, from: start, options).places
        }
        if isRefusing, case .strict = policy {
            let error = ImportError(issues: scope.issues, places: places)
            refusal = error
            throw error
        }
        scope.issues = scope.issues.map { $0.prefixed(by: start.path) }
        try scope.finish(policy, at: places)
        return model
    }

    /// Whether the element is JSON, whatever numbers are in it.
    private func isJSON(ofLength length: Int) -> Bool {
        withElement { bytes in
            var reader = reader(of: bytes)
            do throws(JSONReader.Failure) { try reader.skipValue() } catch { return false }
            return reader.position == length
        }
    }

    /// Why an element is not JSON; nil if the text ends in the middle of it.
    ///
    /// It is read once more, through attribute values, by which it is known where that is.
    private mutating func syntaxError(_ failure: JSONReader.Failure?) -> ImportError {
        let start = place()
        return withElement { bytes in
            var reader = reader(of: bytes)
            do throws(JSONReader.Failure) {
                _ = try reader.readValue(for: CodedModel<M>.self, in: context.registry)
                return reader.error(failure ?? reader.expected("',' or ']'"), from: start)
            } catch {
                return reader.error(error, from: start)
            }
        }
    }

    private func reader(of element: UnsafeRawBufferPointer) -> JSONReader {
        var reader = JSONReader(element, options)
        // No mark of the byte order is skipped here.
        reader.position = 0
        reader.depth = 1
        return reader
    }

    /// The error of a failure at the next byte.
    private mutating func failure(_ make: (JSONReader) -> JSONReader.Failure) -> ImportError {
        let start = place()
        return withElement { bytes in
            let reader = reader(of: bytes)
            return reader.error(make(reader), from: start)
        }
    }

    /// Runs a closure with the bytes from the next one on.
    private func withElement<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[position...])) }
    }

    /// The place of the next byte, counted on from the last one that was asked for.
    private mutating func place() -> JSONPlace {
        countedPlace = buffer.withUnsafeBytes { [counted, countedPlace, position] bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[counted...])
            var counter = PlaceCounter(rest, from: countedPlace)
            return counter.place(of: position - counted)
        }
        counted = position
        return switch state {
        case .beforeArray, .afterArray: countedPlace
        default: countedPlace.with([.index(index)])
        }
    }
}

extension ImportError {
    /// The same with paths in the element of the array that it is about.
    fileprivate var inElement: ImportError {
        let issues = zip(issues, places).map { issue, place in
            Issue(
                code: issue.code,
                path: FieldPath(Array(place?.path.components.dropFirst() ?? [])),
                message: issue.message
            )
        }
        return ImportError(issues: issues, places: places.compactMap { $0 })
    }
}
