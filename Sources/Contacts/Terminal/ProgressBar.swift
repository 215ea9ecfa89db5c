import ModelKit

/// How far the work is: a bar on a terminal, and elsewhere a line of standard error every two seconds.
///
/// Work that takes less than that is done without a word where there is no terminal.
final class ProgressBar {
    private let done = Field<Int>(value: 0)
    private let line = Field<String>()
    private let total: Int
    private let label: String
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var nextLine: ContinuousClock.Instant
    private static let width = 40
    private static let pause = Duration.seconds(2)

    init(_ total: Int, label: String, isShown: Bool = Console.isTerminal) {
        (self.total, self.label) = (total, label)
        self.isShown = isShown && total > 0
        nextLine = start + Self.pause
        // Unless somebody looks, nothing is computed.
        guard self.isShown else { return }
        let filled = Computed { [done] in done.value.map { min($0, total) * Self.width / total } }
        line
            <-- Computed { [done] in
                let filled = filled.value ?? 0
                let bar = String(repeating: "=", count: filled)
                let rest = String(repeating: " ", count: Self.width - filled)
                // The line is drawn when the bar grows, not for every one that is done.
                return "[\(bar)\(rest)] \(untracked { done.value } ?? 0) of \(total) \(label)"
            }
        line.observe(when: .changes) { (line: String?) in Console.note("\r\(line ?? "")") }
    }

    /// Notes that one more is done.
    func advance() {
        let count = (done.value ?? 0) + 1
        done.value = count
        guard !isShown, ContinuousClock.now >= nextLine else { return }
        nextLine = .now + Self.pause
        Console.note("\(count) of \(total) \(label) read\n")
    }

    /// Clears the line for what is printed next.
    func finish() {
        if isShown { Console.note("\r\u{1b}[K") }
    }

    /// How long it took, for the end of a sentence: nothing where that is hardly worth a word.
    var time: String {
        let time = ContinuousClock.now - start
        return time < Self.pause ? "" : " in \(time.formatted())"
    }
}

extension Duration {
    /// The seconds with one digit after the point: `8.2 s`.
    fileprivate func formatted() -> String {
        let tenths = (self / .milliseconds(100)).rounded()
        return "\(tenths / 10) s"
    }
}
