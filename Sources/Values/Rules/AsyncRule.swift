/// A check of a value that takes time, such as to ask a server, and what to say when it fails.
///
/// ```swift
/// let isFree = AsyncRule<String>("is taken", code: "taken", debounce: .milliseconds(300)) { name in
///     try await api.isFree(name)
/// }
/// let name = Field<String>().require(.notBlank).require(isFree)
/// ```
///
/// A field asks it only if its other rules have nothing against the value; those of one field are
/// asked at once, and reported in the order in which they were added. Before the debounce is over
/// nothing is asked. When the value is set meanwhile, the task that asks is cancelled, and what it
/// answers all the same is dropped: no answer is ever taken for that of another value.
///
/// A check that throws has not failed: the value "could not be checked" (code "unavailable", the
/// error in the parameter `reason`), which is an error, too, and the next validation asks again.
public struct AsyncRule<Value: Sendable>: Sendable {
    private let debounce: Duration
    private let clock: any Clock<Duration>
    /// What is known without asking; nil if it has to be asked.
    package let decide: @Sendable (Value?) -> Answer?
    let ask: @Sendable (Value?) async -> Answer
    /// Where what stands that an answer depends on beside the value; nil if it depends on nothing else.
    private var stamps: (@Sendable () -> [UInt64])?

    init(
        debounce: Duration,
        clock: any Clock<Duration>,
        decide: @escaping @Sendable (Value?) -> Answer?,
        ask: @escaping @Sendable (Value?) async -> Answer
    ) {
        self.debounce = debounce
        self.clock = clock
        self.decide = decide
        self.ask = ask
    }

    /// Makes a rule from a test that is asked about values only.
    ///
    /// nil passes unless `allowNil` is false; then it "is required".
    ///
    /// - Parameters:
    ///   - message: What is wrong with a value that fails, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - parameters: The numbers and texts inside the message.
    ///   - allowNil: Whether nil passes.
    ///   - debounce: How long a value has to stay before it is asked about.
    ///   - clock: What measures that time.
    ///   - test: Whether the value passes. Called in a task of its own, which is cancelled when the
    ///     answer is not wanted any more.
    public init(
        _ message: String = "is invalid",
        code: String = "custom",
        parameters: [String: AttributeValue] = [:],
        allowNil: Bool = true,
        debounce: Duration = .zero,
        clock: any Clock<Duration> = ContinuousClock(),
        _ test: @escaping @Sendable (_ value: Value) async throws -> Bool
    ) {
        let failure = Issue(code: code, message: message, parameters: parameters)
        let missing = allowNil ? Answer() : Answer(found: [.required])
        self.init(
            debounce: debounce,
            clock: clock,
            decide: { $0 == nil ? missing : nil },
            ask: { value in
                guard let value else { return missing }
                return await Answer { try await test(value) ? [] : [failure] }
            }
        )
    }

    /// Makes a rule from a function that lists what is wrong with a value, or with nil.
    ///
    /// The paths of its issues start at the value.
    ///
    /// - Parameters:
    ///   - debounce: How long a value has to stay before it is asked about.
    ///   - clock: What measures that time.
    ///   - issues: What is wrong. Called in a task of its own, which is cancelled when the answer is
    ///     not wanted any more.
    public init(
        debounce: Duration = .zero,
        clock: any Clock<Duration> = ContinuousClock(),
        issues: @escaping @Sendable (_ value: Value?) async throws -> [Issue]
    ) {
        self.init(
            debounce: debounce,
            clock: clock,
            decide: { _ in nil },
            ask: { value in await Answer { try await issues(value) } }
        )
    }

    /// Asks about a value, unless it is not wanted any more when the debounce is over.
    package func answer(
        about value: Value?,
        while isWanted: @Sendable () -> Bool
    ) async -> Answer? {
        do {
            if debounce > .zero { try await clock.sleep(for: debounce) }
        } catch {
            return isWanted() ? Answer(unavailable: [.unavailable(error)]) : nil
        }
        return isWanted() ? await ask(value) : nil
    }

    /// The rule with other answers.
    func rewriting<Other>(
        _ decide: @escaping @Sendable (Other?) -> Answer?,
        _ ask: @escaping @Sendable (Other?) async -> Answer
    ) -> AsyncRule<Other> {
        var rule = AsyncRule<Other>(debounce: debounce, clock: clock, decide: decide, ask: ask)
        rule.stamps = stamps
        return rule
    }

    /// The rule, whose answers count as long as what a closure gives is the same.
    package func following(_ stamps: @escaping @Sendable () -> [UInt64]) -> AsyncRule {
        var rule = self
        let before = self.stamps
        rule.stamps = { (before?() ?? []) + stamps() }
        return rule
    }

    package var follows: Bool { stamps != nil }

    /// What an answer depends on beside the value, as it stands now.
    package var followed: [UInt64] { stamps?() ?? [] }
}

/// What an async rule says of a value.
package struct Answer: Sendable {
    var found: [Issue] = []
    /// What it could not say, and is to be asked again.
    var unavailable: [Issue] = []

    package var issues: [Issue] { found + unavailable }
    package var isFinal: Bool { unavailable.isEmpty }
}

extension Answer {
    /// What a check finds, or that it throws.
    fileprivate init(_ check: @Sendable () async throws -> [Issue]) async {
        do {
            self.init(found: try await check())
        } catch {
            self.init(unavailable: [.unavailable(error)])
        }
    }
}

extension Issue {
    /// What is said of a value that could not be checked.
    fileprivate static func unavailable(_ error: any Error) -> Issue {
        Issue(
            code: "unavailable",
            message: "could not be checked",
            parameters: ["reason": .string("\(error)".excerpt(500))]
        )
    }
}
