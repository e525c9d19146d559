import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("The meal log list") struct MealLogListTests {
    static func day(_ day: Int64, _ second: Int64 = 0) -> DateTime {
        // 2025-01-01T00:00:00Z.
        DateTime(secondsSinceEpoch: 1_735_689_600 + (day - 1) * 86_400 + second)
    }

    @Test("A new user's meal log list is empty")
    func empty() throws {
        let (world, user) = try World().withUser()
        let list = world.backend.mealLogs(try MealLogListQuery(query: []), for: user).make()
        let body = String(decoding: list, as: UTF8.self)
        let totals = #""total":0,"total_count":0,"limit":50,"offset":0,"has_more":false,"page":1"#
        #expect(body == #"{"success":true,"data":{"meal_logs":[],\#(totals)}}"#)
    }

    @Test("The meal log list is sorted by log time and then by creation", arguments: UInt64(1)...4)
    func order(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        var (world, user) = try World(seed: seed).withUser()
        var logs: [(time: Int64, number: Int, id: String)] = []
        for number in 0..<137 {
            let time = Self.day(Int64(numbers.below(9)))
            logs.append((time.secondsSinceEpoch, number, try world.mealID(at: time, by: user)))
            world.pass(milliseconds: 300)
        }
        let expected = logs.sorted { ($0.time, $0.number) > ($1.time, $1.number) }.map(\.id)
        for size in [1, 10, 100] {
            var ids: [String] = []
            var hasMore = true
            for page in 1...200 where hasMore {
                let list = try world.listMeals([("limit", "\(size)"), ("page", "\(page)")], for: user)
                ids += list["meal_logs"]?.all("id") ?? []
                #expect(list["total_count"] == 137 && list["page"]?.int == page && list["limit"]?.int == size)
                hasMore = list["has_more"] == true
                #expect(hasMore == (page * size < 137))
            }
            #expect(ids == expected, "seed \(seed), pages of \(size)")
        }
        let past = try world.listMeals([("page", "9223372036854775807"), ("limit", "100")], for: user)
        #expect(past["meal_logs"] == [] && past["has_more"] == false && past["total_count"] == 137)
    }

    @Test("The meal log list can be filtered by meal type, status and days and counts the matches")
    func filters() throws {
        var (world, user) = try World().withUser()
        let eggs = try world.mealID("2 eggs", .breakfast, at: Self.day(3), by: user)
        let junk = try world.mealID("qwertyuiop", .lunch, at: Self.day(3, 86_399), by: user)
        world.waitForMeals()
        let fresh = try world.mealID("2 eggs", .lunch, at: Self.day(4), by: user)
        let table: [([(name: String, value: String)], [String])] = [
            ([], [fresh, junk, eggs]),
            ([("status", "processing")], [fresh]), ([("status", "completed")], [eggs]),
            ([("status", "failed")], [junk]), ([("status", "manual")], []),
            ([("meal_type", "lunch")], [fresh, junk]), ([("meal_type", "snack")], []),
            ([("meal_type", "lunch"), ("status", "failed")], [junk]),
            ([("start_date", "2025-01-03")], [fresh, junk, eggs]), ([("start_date", "2025-01-04")], [fresh]),
            ([("end_date", "2025-01-03")], [junk, eggs]), ([("end_date", "2025-01-02")], []),
            ([("start_date", "2025-01-03T00:00:01Z"), ("end_date", "2025-01-03")], [junk]),
            ([("start_date", "2025-01-03"), ("end_date", "2025-01-03T23:59:58Z")], [eggs]),
            ([("start_date", "2025-01-03"), ("end_date", "2025-01-03T23:59:59Z")], [junk, eggs]),
            ([("start_date", "2025-01-04"), ("end_date", "2025-01-03")], []),
            ([("limit", "1")], [fresh]), ([("limit", "1"), ("page", "3")], [eggs]),
        ]
        for (query, ids) in table {
            let list = try world.listMeals(query, for: user)
            #expect(list["meal_logs"]?.all("id") == ids, "\(query)")
            if !query.contains(where: { $0.name == "limit" }) { #expect(list["total_count"]?.int == ids.count) }
        }
        world.waitForMeals()
        #expect(try world.listMeals([("status", "processing")], for: user)["total_count"] == 0)
        #expect(try world.listMeals([("status", "completed")], for: user)["meal_logs"]?.all("id") == [fresh, eggs])
        // Get and list show the same log.
        for id in [eggs, junk, fresh] {
            let listed = try world.listMeals(for: user)["meal_logs"]?.array?.first { $0["id"]?.string == id }
            #expect(try listed == world.showMeal(id, for: user))
        }
    }
}
