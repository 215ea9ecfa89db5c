import ModelKitFields
import TestSupport
import Testing

/// Patterns that take matchers which backtrack exponential time, or at least quadratic time.
struct PatternWorkTests {
    private static let email =
        #"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}"#
        + #"(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$"#

    // The limit is for slow machines in debug builds: to backtrack would take years.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "^(a+)+$", "^([a-zA-Z]+)*$", "^(a|aa)+$", "^(a|a?)+$", "^(.*a){11}$", email,
            #"^(([a-z])+.)+[A-Z]([a-z])+$"#, "^(a?){25}a{25}$", "^.*.*.*x$", "x*x*x*y",
            "[a-z]{0,200}!!", "^(.*b){20}$", "(a|b)*b(a|b){200}",
        ]
    )
    func `hostile text takes no longer than other text`(source: String) throws {
        let pattern = try Pattern(source)
        for count in [50, 100_000] {
            for end in ["!", "\n", "é"] {
                expect(!pattern.isFound(in: String(repeating: "a", count: count) + end))
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["(a+)+$", "(a|aa)+$", "(a|a)+$"])
    func `nor where the pattern may start anywhere`(source: String) throws {
        let pattern = try Pattern(source)
        for count in [50, 100_000] {
            expect(!pattern.isFound(in: String(repeating: "a", count: count) + "!"))
            expect(pattern.isFound(in: "!" + String(repeating: "a", count: count)))
        }
    }

    @Test(arguments: ["([a-zA-Z]+)*$", "(a|a?)+$", "(.*a){11}"])
    func `what may be found in nothing or early is found`(source: String) throws {
        let pattern = try Pattern(source)
        for count in [50, 100_000] {
            expect(pattern.isFound(in: String(repeating: "a", count: count) + "!"))
        }
    }

    /// A counted end after letters in no order, of which a deterministic automaton has no end.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: ["(a|b)*b(a|b){200}c", "b[ab]{200}c", "(?:é|[ab])*?b(a|b){200}?c|^$"]
    )
    func `what hardly two places of a text agree in is found all the same`(source: String) throws {
        let pattern = try Pattern(source)
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        for _ in 0..<2 {
            var letters = (0..<20_000).map { _ in Bool.random(using: &random) ? "a" : "b" }
            expect(!pattern.isFound(in: letters.joined()), "seed \(seed)")
            // The first that is followed by a counted number of letters and the end, or none.
            letters[19_799] = "a"
            letters.replaceSubrange(19_000..<19_799, with: repeatElement("a", count: 799))
            expect(!pattern.isFound(in: letters.joined() + "c"), "seed \(seed)")
            letters[19_799] = "b"
            expect(pattern.isFound(in: letters.joined() + "c"), "seed \(seed)")
            expect(!pattern.isFound(in: letters.joined() + "é"), "seed \(seed)")
        }
    }
}
