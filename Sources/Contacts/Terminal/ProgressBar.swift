import ModelKit

/// A line on a terminal that shows how far the work is; nothing where there is no terminal.
struct ProgressBar {
    private let done = Field<Int>(value: 0)
    private let line = Field<String>()
    private let isShown: Bool
    private static let width = 40

    init(_ total: Int, label: String, isShown: Bool = Console.isTerminal) {
        self.isShown = isShown && total > 0
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
        done.value = (done.value ?? 0) + 1
    }

    /// Clears the line for what is printed next.
    func finish() {
        if isShown { Console.note("\r\u{1b}[K") }
    }
}
