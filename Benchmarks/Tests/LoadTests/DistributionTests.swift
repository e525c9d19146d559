import Load
import Testing

@Suite("Distribution and options")
struct DistributionTests {
    @Test(
        "percentiles use the nearest rank",
        arguments: [(0.0, 1), (1, 1), (50, 50), (50.5, 51), (99, 99), (99.9, 100), (100, 100)])
    func percentiles(percent: Double, value: Int) {
        #expect(Distribution((1...100).reversed()).percentile(percent) == value)
    }

    @Test("an empty distribution has no percentile")
    func empty() {
        #expect(Distribution([Int]()).percentile(50) == nil)
    }

    @Test("options are pairs, and absent ones have defaults")
    func options() throws {
        let options = try Options(["--port", "80", "--kind", "x"], known: ["--port", "--kind", "--seconds"])
        #expect(try options.number("--port") == 80 as UInt16)
        #expect(try options.number("--seconds", default: 20) == 20)
        #expect(try options.required("--kind") == "x")
        #expect(options["--seconds"] == nil)
    }

    @Test(
        "an unusable command line gets an explanation",
        arguments: [
            (["--prt", "1"], "unknown argument '--prt'; it takes --port"),
            (["--port"], "--port needs a value"),
            (["--port", "70000"], "--port takes a whole number from 0 to 65535, not '70000'"),
            ([], "--port is missing"),
        ] as [([String], String)])
    func refusals(arguments: [String], message: String) {
        let error = #expect(throws: LoadError.self) {
            let _: UInt16 = try Options(arguments, known: ["--port"]).number("--port")
        }
        #expect(error?.description == message)
    }
}
