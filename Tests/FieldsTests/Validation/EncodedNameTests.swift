import ModelKitFields
import TestSupport
import Testing

/// Names of hosts in the form that has other letters in ASCII, by RFC 3492 and RFC 5892.
struct EncodedNameTests {
    @Test(arguments: [
        "xn--ihqwcrb4cv8a8dqg056pqjye", "xn--9n2bp8q.xn--9t4b11yi5a", "xn--zca29lwxobi7a",
        "xn--qmbc", "xn--ll-0ea", "xn--wva3je", "xn--4dbc5h", "xn--4dbc8h", "xn--k8j5u",
        "xn--bck0j", "xn--vek778f", "xn--ngba1o", "xn--0-gyc", "xn--11b2ezcw70k",
        "xn--11b2ezcs70k", "xn--ngba5hb2804a", "XN--BCHER-KVA.example", "xn--bcher-kva.xn--p1ai",
        "a--b.de", "x--n", "1.xn--p1ai", "r3---sn-4g5e6nez.googlevideo.com", "ab--c",
    ])
    func `a name that may be passes`(text: String) {
        expect(Rule<String>.hostname.issues(for: text), equals: [])
        expect(Rule<String>.email(.international).issues(for: "a@\(text)"), equals: [])
    }

    @Test(arguments: [
        // What is no Punycode, or too much of it.
        "xn--X", "xn--", "xn--a-", "xn---", "xn--a", "xn--99999999999999", "xn--abc", "xn--0",
        // What no name may have: marks in front, hyphens in the third and fourth place, exceptions.
        "xn--07jt112bqxg.xn--9t4b11yi5a", "xn--07jt112bpxg.xn--9t4b11yi5a", "xn--hello-txk",
        "xn--hello-zed", "xn--hello-6bf", "xn--chb89f", "xn--07jceefgh4c", "XN--aa---o47jg78q",
        // What may stand beside some others alone.
        "xn--al-0ea", "xn--l-fda", "xn--la-0ea", "xn--l-gda", "xn--S-jib3p", "xn--wva3j",
        "xn--A-2hc5h", "xn--5db1e", "xn--A-2hc8h", "xn--5db3e", "xn--defabc-k64e", "xn--vek",
        "xn--ngb6iyr", "xn--11b2er09f", "xn--02b508i",
        // Capital letters, symbols, and forms that are other spellings.
        "xn--bcher-2pa", "xn--e28h", "xn--m3g", "xn--a-zep", "xn--i-2sn",
        // Marks for symbols, letters that are joined to none that follows, scripts of no names.
        "xn--ab-cju", "xn--mgbc799q", "xn--vekb", "xn--vek9027g",
    ])
    func `one that may not does not`(text: String) {
        expect(Rule<String>.hostname.issues(for: text).map(\.code), equals: ["hostname"])
        let mailbox = Rule<String>.email(.international)
        expect(mailbox.issues(for: "a@\(text).de").map(\.code), equals: ["email"])
    }
}
