/// A line on a terminal that shows how far the work is; nothing where there is no terminal.
struct ProgressBar {
    private let total: Int
    private let label: String
    private let isShown: Bool
    private var done = 0
    private var shown = -1
    private static let width = 40

    init(_ total: Int, label: String, isShown: Bool = Console.isTerminal) {
        self.total = total
        self.label = label
        self.isShown = isShown && total > 0
    }

    /// Notes that one more is done.
    mutating func advance() {
        done += 1
        guard isShown else { return }
        let filled = min(done, total) * Self.width / total
        if filled == shown { return }
        shown = filled
        let bar =
            String(repeating: "=", count: filled)
            + String(repeating: " ", count: Self.width - filled)
        Console.note("\r[\(bar)] \(done) of \(total) \(label)")
    }

    /// Clears the line for what is printed next.
    func finish() {
        if isShown { Console.note("\r\u{1b}[K") }
    }
}
