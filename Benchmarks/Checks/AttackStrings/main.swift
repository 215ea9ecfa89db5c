// Times every built-in rule for texts, and patterns that are known to be slow elsewhere, on the texts
// that make them so: at 50 characters at most 5 ms, at 100 000 at most 50 ms. It ends with an error
// where one takes longer.
import Foundation
import ModelKit

/// A text of a length: a start, something repeated, and an end that fails to match.
struct Attack {
    let start: String
    let part: String
    let end: String

    init(_ part: String, start: String = "", end: String = "") {
        (self.part, self.start, self.end) = (part, start, end)
    }

    func text(_ count: Int) -> String {
        let room = max(count - start.utf8.count - end.utf8.count, 0)
        return start + String(repeating: part, count: room / part.utf8.count) + end
    }
}

let limits: [(count: Int, milliseconds: Double)] = [(50, 5), (100_000, 50)]
var isExceeded = false
var slowest: [(milliseconds: Double, what: String)] = []

/// The shortest of some runs, as other programs may run beside it.
func milliseconds(atMost limit: Double, _ work: () -> Void) -> Double {
    var best = Double.infinity
    for _ in 0..<5 where best > limit / 4 {
        let start = DispatchTime.now().uptimeNanoseconds
        work()
        best = min(best, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
    }
    return best
}

@MainActor
func check(_ name: String, _ rule: Rule<String>, _ attacks: [Attack]) {
    for attack in attacks {
        for limit in limits {
            let text = attack.text(limit.count)
            let time = milliseconds(atMost: limit.milliseconds) {
                withExtendedLifetime(rule.issues(for: text)) {}
            }
            let what = "\(name), \(limit.count) bytes of \(attack.part.debugDescription)"
            if limit.count > 1000 { slowest.append((time, what)) }
            if time > limit.milliseconds {
                isExceeded = true
                print(String(format: "%8.2f ms", time), "of at most", limit.milliseconds, what)
            }
        }
    }
}

/// The parts that the grammars of formats repeat, with and without an end that fails.
let parts = [
    "a", "1", "0", ".", "-", "a.", "a-", "1.", "@", "a@", "\"", "\\\"", "(", ":", "::", "f:", "/",
    "%41", "%", "[", "[[", "{\"a\":", "\\u0041", "=", "A==", "~1", "T", "1Y", "P1D", " ", "\t",
    "\n",
    "é", "\u{301}", "👩‍👩‍👧‍👦", "xn--a.", "+", "-a.", "1e", "_", ",", "1 ",
]
let attacks =
    parts.flatMap { [Attack($0), Attack($0, end: "!"), Attack($0, end: "\0")] }
    + [
        "a@", "http://", "http://a.", "[", "\"", "P", "1.0.0-", "/", "+", "#",
        "2024-01-01T00:00:00.",
    ]
    .flatMap { start in
        ["a", "1", "a.", "%41", "\\\"", "-"].map { Attack($0, start: start, end: "!") }
    }

let rules: [(String, Rule<String>)] = [
    ("email", .email), ("email RFC 5321", .email(.rfc5321)), ("url", .url),
    ("url of schemes", .url(schemes: ["wss"])), ("uri", .uri), ("uriReference", .uriReference),
    ("uuid", .uuid), ("date", .date), ("time", .time), ("dateTime", .dateTime),
    ("duration", .duration), ("hostname", .hostname), ("ipv4", .ipv4), ("ipv6", .ipv6),
    ("cidr", .cidr), ("base64", .base64), ("jsonPointer", .jsonPointer), ("e164", .e164),
    ("hasPrefix", .hasPrefix("aaab")), ("hasSuffix", .hasSuffix("baaa")),
    ("contains", .contains("aaaaaaaaaaaaaaaaaaaab")), ("digits", .digits),
    ("characters", .characters(in: "a-z")), ("alpha", .alpha), ("alphanumeric", .alphanumeric),
    ("ascii", .ascii), ("lowercase", .lowercase), ("uppercase", .uppercase), ("slug", .slug),
    ("noControlCharacters", .noControlCharacters), ("trimmed", .trimmed), ("notBlank", .notBlank),
    ("minLength", .minLength(1_000_000)), ("maxLength", .maxLength(10)),
    ("length of scalars", .length(3...20, in: .scalars)),
    ("length of UTF-8", .length(3, in: .utf8)),
]
for (name, rule) in rules { check(name, rule, attacks) }

/// Letters in no order, so that hardly a place in the text is like another.
let noise: String = {
    var state: UInt32 = 1
    return String(
        (0..<50_000).map { _ -> Character in
            state = state &* 1_664_525 &+ 1_013_904_223
            return state >> 31 == 0 ? "a" : "b"
        }
    )
}()

// Published: OWASP's list, the outages of Stack Overflow (2016) and of Cloudflare (2019), and CVEs of
// widely used packages.
let patterns: [(String, [Attack])] = [
    (#"^(a+)+$"#, [Attack("a", end: "!")]),
    (#"^([a-zA-Z]+)*$"#, [Attack("a", end: "!")]),
    (#"^(a|aa)+$"#, [Attack("a", end: "!")]),
    (#"^(a|a?)+$"#, [Attack("a", end: "!")]),
    (#"^(.*a){12}$"#, [Attack("a", end: "!")]),
    (#"^(([a-z])+.)+[A-Z]([a-z])+$"#, [Attack("a")]),
    (
        #"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}"#
            + #"(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$"#,
        [Attack("a", end: "!"), Attack("a.", end: "!")]
    ),
    (#"^(.*?,){11}P"#, [Attack("1,", end: "!")]),
    (#"^[\s\u200c]+|[\s\u200c]+$"#, [Attack(" ", start: "-", end: "-")]),
    (#"\s+$"#, [Attack(" ", end: "a"), Attack("\t", end: "a")]),
    (
        #"(?:(?:"|'|\]|\}|\\|\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|`|-|\+)+[)]*;?"#
            + #"((?:\s|-|~|!|\{\}|\|\||\+)*.*(?:.*=.*)))"#,
        [Attack("x", start: "x=x"), Attack("=", end: "x")]
    ),
    (#"^(?:.*,)*.*=.*=.*=.*$"#, [Attack("=,"), Attack(",", end: "!")]),
    (#"^(\d+)(,\d+)*(\.\d+)?(e\d+)?x$"#, [Attack("1"), Attack("1,1")]),
    (#"^(?:[^"\\]|\\.)*"(?:\s*:\s*)*$"#, [Attack("\\\""), Attack(": ", start: "\"")]),
    (#"(x+x+)+y"#, [Attack("x")]),
    (#"^(([^.]+\.?)+)@(([^.]+\.?)+)\.com$"#, [Attack("a"), Attack("a.", start: "a@")]),
    (#"(?:\-|\+)?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?$"#, [Attack("1", end: "!")]),
    (#"(a|b)*b(a|b){60}$"#, [Attack("ab"), Attack("abb", end: "!")]),
    (#"(a|b)*b(a|b){200}c"#, [Attack("ab"), Attack(noise)]),
    (#"[ab]*b[ab]{0,1000}c"#, [Attack("ab"), Attack(noise)]),
]
for (source, attacks) in patterns {
    do {
        check("pattern \(source.prefix(40))", .pattern(try Pattern(source)), attacks)
    } catch {
        isExceeded = true
        print("\(source): \(error)")
    }
}

slowest.sort { $0.milliseconds > $1.milliseconds }
print("\(slowest.count) texts of 100 000 bytes; the slowest, of at most 50 ms:")
for entry in slowest.prefix(8) { print(String(format: "%8.2f ms", entry.milliseconds), entry.what) }
if isExceeded { exit(1) }
