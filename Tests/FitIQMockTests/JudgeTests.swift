import Testing

@testable import fitiq_mock

@Suite("Judging a saved journal")
struct JudgeTests {
    @Test("The judge command's messages match the expected text")
    func messages() {
        #expect(
            Messages.disorderedEntry(3, after: 9, world: "w")
                == "entry 3 of w comes after entry 9, but a journal must be in order. Does the file contain "
                + "two journals, or is the newest entry first?")
        #expect(
            Messages.tooManyWorlds(limit: 2)
                == "the journal has more than 2 worlds, but at most 2 can be judged at once; select one with --world."
        )
        #expect(
            Messages.noSuchWorld("defalt", others: ["default", "a", "b", "c", "d", "e"])
                == "no entry belongs to the world 'defalt'; the worlds with entries are default, a, b, c, d, …. Did you mean 'default'?"
        )
        #expect(
            Messages.noSuchWorld("zzzz", others: ["a", "b", "c", "d", "e"])
                == "no entry belongs to the world 'zzzz'; the worlds with entries are a, b, c, d, e.")
        #expect(Messages.judgement(of: "j") == "The client in j")
        #expect(
            Messages.noCall(among: 1, .init(request: "GET /prod/api/v1/goals", prefix: "/prod"))
                == "It has 1 request, but none to the API: the first is GET /prod/api/v1/goals. If /prod is a "
                + "prefix, pass it: --prefix /prod.")
        #expect(
            Messages.noCall(among: 0, .init())
                == "It has 0 requests, but none to the API. If the API's paths have a prefix, pass it: "
                + "--prefix /prod.")
        #expect(
            Messages.badPrefix("prod")
                == "--prefix must be the part that precedes the API paths, such as /prod in "
                + "/prod/api/v1/goals; got 'prod'.")
        #expect(
            Messages.prefixOfJournal
                == "--prefix applies only to sessions. This file is a journal; leave --prefix out.")
    }

    private static func line(_ world: String) -> ArraySlice<UInt8> {
        let entry = #"{"number":1,"time":"2025-01-29T10:30:00Z","world":"\#(world)","kind":"note","text":"x"}"#
        return Array("\(entry)\n".utf8)[...]
    }

    @Test("The error for an unknown world lists a limited number of worlds")
    func otherWorlds() throws {
        var journal = JudgedFile(name: "j", mode: .union, world: "none")
        for world in (0..<JudgedFile.worldLimit).map({ "w\($0)" }) + ["a"] { try journal.receive(Self.line(world)) }
        let failure = #expect(throws: Failure.self) { try journal.report() }
        #expect(failure?.message.contains("the worlds with entries are w0, w1, w10, w100, w101, …") == true)
    }

    @Test("A journal with more worlds than allowed fails", arguments: [0, 1])
    func worlds(over: Int) {
        var journal = JudgedFile(name: "j", mode: .union)
        var failure: Failure?
        for world in 0..<(JudgedFile.worldLimit + over) {
            do throws(Failure) { try journal.receive(Self.line("w\(world)")) } catch { failure = error }
        }
        #expect((failure == nil) == (over == 0))
        #expect(failure.map { $0.message.hasPrefix("j: line 1001: the journal has more than 1000 worlds") } ?? true)
    }

    @Test(
        "judge has the report options and rejects an empty path",
        arguments: ["--junit", "--json", "--markdown", "--known-broken"])
    func options(name: String) throws {
        #expect(throws: (any Error).self) { try JudgeCommand.parse(["-", name, ""]) }
        let command = try JudgeCommand.parse(["-", name, "x"])
        #expect(
            [command.reports.junit, command.reports.json, command.reports.markdown, command.reports.knownBroken]
                .compactMap(\.self) == ["x"])
    }
}
