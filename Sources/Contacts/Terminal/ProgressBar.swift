import ModelKit

/// How far an import is: a bar on a terminal, and elsewhere a line of standard error every two seconds.
///
/// Work that takes less than that is done without a word where there is no terminal.
final class ProgressBar: Sendable {
    private let done = Field<ImportProgress>()
    private let line = Field<String>()
    private let label: String
    private let isShown: Bool
    private let start = ContinuousClock.now
    private let nextLine = Field<ContinuousClock.Instant>(value: .now + pause)
    private static let width = 40
    private static let pause = Duration.seconds(2)

    init(label: String, isShown: Bool = Console.isTerminal) {
        (self.label, self.isShown) = (label, isShown)
        // Unless somebody looks, nothing is computed.
        guard isShown else { return }
        let filled = Computed { [done] in
            (done.value?.fraction).map { Int($0 * Double(Self.width)) }
        }
        line
            <-- Computed { [done] in
                let filled = filled.value ?? 0
                let bar = String(repeating: "=", count: filled)
                let rest = String(repeating: " ", count: Self.width - filled)
                // The line is drawn when the bar grows, not for every piece that is read.
                return "[\(bar)\(rest)] \(untracked { done.value?.modelCount } ?? 0) \(label)"
            }
        line.observe(when: .changes) { (line: String?) in Console.note("\r\(line ?? "")") }
    }

    /// Notes how much is done.
    func advance(to progress: ImportProgress) {
        done.value = progress
        guard !isShown, let next = nextLine.value, ContinuousClock.now >= next else { return }
        nextLine.value = .now + Self.pause
        Console.note("\(progress.modelCount) \(label) read\n")
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
