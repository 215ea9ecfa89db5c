import ModelKitEssentials

extension LibpqWire {
    /// Connects to the first of the hosts that takes it; the thread waits.
    ///
    /// Each of them has its part of the time, as one that is silent would take all of it.
    static func connect(
        _ target: PostgreSQLTarget,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> LibpqWire {
        var failure: PostgreSQLError?
        for (index, host) in target.hosts.enumerated() {
            let now = ContinuousClock.now
            let part = now.duration(to: deadline) / (target.hosts.count - index)
            let limit = now + min(part, target.hostTimeout ?? part)
            do throws(PostgreSQLError) {
                return try LibpqWire(target, host, until: limit)
            } catch {
                guard error.isTransient else { throw error }
                var error = error
                error.message = (failure.map { "\($0.message); " } ?? "") + error.message
                failure = error
            }
        }
        throw failure ?? PostgreSQLError(.cannotConnect, "there is no host")
    }

    /// The name of a host is looked up first, which has no limit.
    private convenience init(
        _ target: PostgreSQLTarget,
        _ host: PostgreSQLTarget.Parameters,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        let functions = target.library.functions
        guard let connection = Self.start(target.parameters + host, functions) else {
            throw PostgreSQLError(.outOfMemory, "there is no memory for a connection")
        }
        self.init(connection, functions, notice: target.notice)
        // With codes, which nothing else gives of a connection that was refused.
        _ = functions.setErrorVerbosity(connection, 2)
        if functions.status(connection) == 1 {
            var error = refusal
            // It knows no host yet: what it was given is wrong, as a service that nobody has defined.
            if functions.host(connection)?.pointee ?? 0 == 0 { error.kind = .notSupported }
            throw error
        }
        let polling = LibpqPolling {
            functions.connectPoll(connection)
        } socket: {
            functions.socket(connection)
        }
        switch polling.finish(until: deadline) {
        case .done: break
        case .failed: throw refusal
        case .timedOut:
            let place = [functions.host, functions.port].map { question in
                question(connection).map { String(cString: $0) } ?? ""
            }
            var error = PostgreSQLError(
                .cannotConnect,
                "the server at \"\(place[0])\", port \(place[1]), has not answered in time"
            )
            error.isSilence = true
            throw error
        }
        _ = functions.setErrorVerbosity(connection, 1)
        _ = functions.setnonblocking(connection, 1)
    }

    private static func start(
        _ parameters: PostgreSQLTarget.Parameters,
        _ functions: PostgreSQLLibrary.Functions
    ) -> OpaquePointer? {
        let texts = (parameters.map(\.keyword) + parameters.map(\.value)).map { strdup($0) }
        defer { for text in texts { free(text) } }
        func list(_ texts: ArraySlice<UnsafeMutablePointer<CChar>?>) -> [UnsafePointer<CChar>?] {
            texts.map { $0.map { UnsafePointer($0) } } + [nil]
        }
        // The database is a whole connection string.
        return functions.connectStartParams(
            list(texts.prefix(parameters.count)),
            list(texts.suffix(parameters.count)),
            1
        )
    }

    /// Why there is no connection.
    private var refusal: PostgreSQLError {
        var (state, message) = Self.read(lastMessage)
        var kind = PostgreSQLError.Kind(sqlState: state)
        if functions.connectionNeedsPassword(connection) != 0
            || message.contains("certificate") || message.contains("does not support SSL")
        {
            (kind, state) = (.authentication, nil)
        }
        var error = PostgreSQLError(kind == .connectionLost ? .cannotConnect : kind, message)
        error.sqlState = state
        return error
    }

    /// Takes the code out of a message such as `FATAL:  28P01: password authentication failed`, and where in the
    /// server it comes from.
    static func read(_ text: String) -> (state: String?, message: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        let words = lines.joined(separator: " ").split(separator: " ")
        // Five letters or digits; unlike a severity a code has digits.
        let place = words.firstIndex { word in
            word.utf8.count == 6 && word.last == ":" && word.contains(where: \.isNumber)
                && word.dropLast().allSatisfy { $0.isUppercase || $0.isNumber }
        }
        guard let place else { return (nil, words.joined(separator: " ")) }
        let message = words[..<place] + words[(place + 1)...]
        return (String(words[place].dropLast()), message.joined(separator: " "))
    }
}

extension PostgreSQLError {
    /// Whether another attempt to connect may succeed, with nothing changed here.
    var isTransient: Bool {
        [.cannotConnect, .connectionLost, .tooManyConnections, .timedOut].contains(kind)
    }
}
