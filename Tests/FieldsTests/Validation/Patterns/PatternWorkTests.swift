import ModelKitFields
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
                #expect(!pattern.isFound(in: String(repeating: "a", count: count) + end))
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["(a+)+$", "(a|aa)+$", "(a|a)+$"])
    func `nor where the pattern may start anywhere`(source: String) throws {
        let pattern = try Pattern(source)
        for count in [50, 100_000] {
            #expect(!pattern.isFound(in: String(repeating: "a", count: count) + "!"))
            #expect(pattern.isFound(in: "!" + String(repeating: "a", count: count)))
        }
    }

    @Test(arguments: ["([a-zA-Z]+)*$", "(a|a?)+$", "(.*a){11}"])
    func `what may be found in nothing or early is found`(source: String) throws {
        let pattern = try Pattern(source)
        for count in [50, 100_000] {
            #expect(pattern.isFound(in: String(repeating: "a", count: count) + "!"))
        }
    }
}
