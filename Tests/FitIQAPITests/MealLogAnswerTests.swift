import Testing

@testable import FitIQAPI

/// Meal logs byte by byte, in each status and form.
@Suite("Meal logs as JSON") struct MealLogAnswerTests {
    static let id = "00000000-0000-4000-8000-000000000001"
    static let times = #""created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:03Z""#
    static let started = #""processing_started_at":"2025-01-29T10:30:00Z""#
    static let completed = #""processing_completed_at":"2025-01-29T10:30:03Z""#
    static let logged = #""logged_at":"2025-01-29T10:15:00Z""#
    static let chicken = #""raw_input":"120g chicken breast","meal_type":"lunch""#
    static let mixed = #""raw_input":"120g chicken breast & half a toast","meal_type":"lunch""#
    static let ids =
        #""id":"00000000-0000-4000-8000-00000000000b","meal_log_id":"00000000-0000-4000-8000-000000000001""#
    static let toastIDs =
        #""id":"00000000-0000-4000-8000-00000000000c","meal_log_id":"00000000-0000-4000-8000-000000000001""#

    static let union: KeyValuePairs<MealLog, String> = [
        MealLogExamples.processing:
            #"{"id":"\#(id)","meal_log_id":"\#(id)","user_id":"user-1",\#(chicken),"status":"processing","#
            + #"\#(logged),\#(started),"created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z"}"#,
        MealLogExamples.mixed:
            #"{"id":"\#(id)","meal_log_id":"\#(id)","user_id":"user-1",\#(mixed),"status":"completed","#
            + #""total_calories":273,"total_protein_g":39.2,"total_carbs_g":13.3,"total_fat_g":4.4,"#
            + #""total_fiber_g":0.7,"total_sugar_g":1.2,"total_protein":39.2,"total_carbs":13.3,"total_fat":4.4,"#
            + #""total_fiber":0.7,"total_sugar":1.2,"items_count":2,\#(logged),\#(started),\#(completed),\#(times),"#
            + #""items":[{\#(ids),"food_id":"00000000-0000-4000-8000-000000000015","food_name":"Chicken Breast","#
            + #""name":"Chicken Breast","quantity":120,"unit":"grams","calories":198,"protein_g":37.2,"#
            + #""carbs_g":0.0,"fat_g":4.3,"fiber_g":0.0,"sugar_g":0.0,"protein":37.2,"carbohydrates":0.0,"#
            + #""fat":4.3,"fiber":0.0,"sugar":0.0,"confidence_score":0.95,"confidence":0.95,"#
            + #""parsing_notes":"Grilled, skinless","notes":"Grilled, skinless","order_index":0,"#
            + #""created_at":"2025-01-29T10:30:03Z"},"#
            + #"{\#(toastIDs),"food_id":"00000000-0000-4000-8000-000000000016","food_name":"Toast","name":"Toast","#
            + #""quantity":0.5,"unit":"servings","calories":75,"protein_g":2.0,"carbs_g":13.3,"fat_g":0.1,"#
            + #""fiber_g":0.7,"sugar_g":1.2,"protein":2.0,"carbohydrates":13.3,"fat":0.1,"fiber":0.7,"#
            + #""sugar":1.2,"confidence_score":0.8,"confidence":0.8,"order_index":1,"#
            + #""created_at":"2025-01-29T10:30:03Z"}]}"#,
        MealLogExamples.failed:
            #"{"id":"\#(id)","meal_log_id":"\#(id)","user_id":"user-1","raw_input":"\"qwerty\"","meal_type":"lunch","#
            + #""status":"failed","error_message":"Failed to parse meal input","error":"Failed to parse meal input","#
            + #""details":"Could not identify any food items in the input",\#(logged),\#(times)}"#,
    ]

    @Test("A guide without its own meal log form gets the union's form", arguments: union)
    func unionObject(log: MealLog, json: String) {
        for form in [GuideMode.union, .consultationWebSocket, .enhancedConsultations, .goalLinking] {
            #expect(text(log.object(in: form)) == json)
        }
    }

    static let guide: KeyValuePairs<MealLog, String> = [
        MealLogExamples.processing: #"{"id":"\#(id)","user_id":"user-1",\#(chicken),"status":"processing",\#(logged),"#
            + #""created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z"}"#,
        MealLogExamples.completed:
            #"{"id":"\#(id)","user_id":"user-1",\#(chicken),"status":"completed","total_calories":198,"#
            + #""total_protein_g":37.2,"total_carbs_g":0.0,"total_fat_g":4.3,"total_fiber_g":0.0,"total_sugar_g":0.0,"#
            + #"\#(logged),\#(started),\#(completed),\#(times),"#
            + #""items":[{\#(ids),"food_id":"00000000-0000-4000-8000-000000000015","food_name":"Chicken Breast","#
            + #""quantity":120,"unit":"grams","calories":198,"protein_g":37.2,"carbs_g":0.0,"fat_g":4.3,"#
            + #""fiber_g":0.0,"sugar_g":0.0,"confidence_score":0.95,"parsing_notes":"Grilled, skinless","#
            + #""order_index":0,"created_at":"2025-01-29T10:30:03Z"}]}"#,
        MealLogExamples.failed:
            #"{"id":"\#(id)","user_id":"user-1","raw_input":"\"qwerty\"","meal_type":"lunch","status":"failed","#
            + #""error_message":"Failed to parse meal input",\#(logged),\#(times)}"#,
    ]

    @Test("In meal-log-websocket, a meal log has only documented members", arguments: guide)
    func guideObject(log: MealLog, json: String) { #expect(text(log.object(in: .mealLogWebSocket)) == json) }

    static let architecture: KeyValuePairs<MealLog, String> = [
        MealLogExamples.mixed: #"{"id":"\#(id)","user_id":"user-1",\#(mixed),"status":"completed",\#(logged),"#
            + #""items":[{\#(ids),"name":"Chicken Breast","quantity":"120g","unit":"grams","calories":198.0,"#
            + #""protein":37.2,"carbohydrates":0.0,"fat":4.3,"fiber":0.0,"sugar":0.0,"confidence":0.95,"#
            + #""notes":"Grilled, skinless"},{\#(toastIDs),"name":"Toast","quantity":"half a","unit":"servings","#
            + #""calories":75.0,"protein":2.0,"carbohydrates":13.3,"fat":0.1,"fiber":0.7,"sugar":1.2,"#
            + #""confidence":0.8}],"total_calories":273.0,"total_protein":39.2,"total_carbs":13.3,"total_fat":4.4,"#
            + #""total_fiber":0.7,"total_sugar":1.2,\#(started),\#(completed),\#(times)}"#,
        MealLogExamples.failed: #"{"meal_log_id":"\#(id)","error":"Failed to parse meal input","#
            + #""details":"Could not identify any food items in the input"}"#,
        MealLogExamples.processing: union[0].value,
    ]

    @Test("In websocket-architecture, an event has the form printed in the guide", arguments: architecture)
    func architectureObject(log: MealLog, json: String) {
        #expect(text(log.object(in: .webSocketArchitecture)) == json)
    }

    @Test("A meal log has an envelope in every mode except meal-log-websocket", arguments: GuideMode.allCases)
    func envelope(form: GuideMode) {
        let body = text(MealLogExamples.processing.body(of: #"{"x":1}"#.bytes, in: form))
        #expect((body == #"{"success":true,"data":{"x":1}}"#) == (form != .mealLogWebSocket))
    }

    static let responses: KeyValuePairs<MealLog, String> = [
        MealLogExamples.processing: guide[0].value,
        MealLogExamples.completed:
            #"{"id":"\#(id)","user_id":"user-1",\#(chicken),"status":"completed","total_calories":198,"#
            + #""total_protein_g":37.2,"total_carbs_g":0.0,"total_fat_g":4.3,\#(logged),\#(times)}"#,
        MealLogExamples.failed:
            #"{"id":"\#(id)","user_id":"user-1","raw_input":"\"qwerty\"","meal_type":"lunch","status":"failed","#
            + #"\#(logged),\#(times)}"#,
    ]

    @Test("In meal-log-websocket, an answer wraps the model's members in nothing but `data`", arguments: responses)
    func guideResponse(log: MealLog, json: String) {
        #expect(text(log.body(of: [], in: .mealLogWebSocket)) == #"{"data":\#(json)}"#)
    }

    static let pages: [(Page, Int, Bool)] = [
        (Page(number: 1, size: 50), 0, false), (Page(number: 1, size: 50), 50, false),
        (Page(number: 1, size: 50), 51, true), (Page(number: 2, size: 50), 51, false),
        (Page(number: 2, size: 10), 21, true), (Page(number: 3, size: 10), 21, false),
        (Page(number: 4, size: 10), 21, false), (Page(number: .max, size: 100), 21, false),
    ]

    @Test("A list states the page's position", arguments: pages)
    func list(page: Page, total: Int, hasMore: Bool) {
        let rest = #""total_count":\#(total),"page":\#(page.number),"limit":\#(page.size),"has_more":\#(hasMore)}}"#
        #expect(
            text(MealLog.listBody(["{}".bytes, "[1]".bytes], page: page, total: total))
                == #"{"success":true,"data":{"meal_logs":[{},[1]],\#(rest)"#)
        #expect(
            text(MealLog.listBody([], page: page, total: total)) == #"{"success":true,"data":{"meal_logs":[],\#(rest)"#)
    }

    @Test("A finished meal's event has a type, data and a time", arguments: GuideMode.allCases)
    func events(mode: GuideMode) {
        #expect(MealLogEvent.frame(of: MealLogExamples.processing, in: mode) == nil)
        for (log, type) in [
            (MealLogExamples.completed, "meal_log.completed"), (MealLogExamples.failed, "meal_log.failed"),
        ] {
            let data = text(log.object(in: mode, isForApps: mode.servesApps))
            #expect(
                MealLogEvent.frame(of: log, in: mode).map(text)
                    == #"{"type":"\#(type)","data":\#(data),"timestamp":"2025-01-29T10:30:03Z"}"#)
        }
    }

    @Test("A meal log's totals equal the sums of its items to the tenth")
    func totals() {
        // 0.1 + 0.2 is not 0.3 in binary fractions.
        let item = { (tenths: Int) in
            var item = MealLogExamples.toast
            item.nutrients = MealNutrients(
                calories: tenths, proteinTenths: tenths, carbsTenths: 10 * tenths, fatTenths: 100 * tenths,
                fiberTenths: 0, sugarTenths: tenths + 1)
            return item
        }
        let totals = MealLogExamples.log(.completed([item(1), item(2)], at: .example)).totals
        #expect(
            totals
                == MealNutrients(
                    calories: 3, proteinTenths: 3, carbsTenths: 30, fatTenths: 300, fiberTenths: 0, sugarTenths: 5))
        #expect(
            text(MealLogExamples.log(.completed([item(1), item(2)], at: .example)).object(in: .union))
                .contains(#""total_protein_g":0.3,"total_carbs_g":3.0,"total_fat_g":30.0,"total_fiber_g":0.0,"#))
        #expect(
            MealLogExamples.processing.totals == MealNutrients() && MealLogExamples.failed.totals == MealNutrients())
    }

    @Test("A photo with a food below 80 % confidence needs review")
    func photo() {
        func photo(_ confidence: Double) -> MealPhoto {
            var item = MealLogExamples.toast
            item.confidence = confidence
            return MealPhoto(MealLogExamples.log(.completed([MealLogExamples.chicken, item], at: .example)))
        }
        let reviewed = #","needs_review":true,"macronutrients""#
        #expect(
            text(photo(0.8).body).contains(#""overall_confidence":80,"confidence_score":0.8,"needs_review":false,"#))
        #expect(![reviewed, #""meal_log_id":""#].contains { text(photo(0.8).body).contains($0) })
        #expect(
            text(photo(0.79).body).contains(#""overall_confidence":79,"confidence_score":0.79,"needs_review":true,"#))
        #expect(text(photo(0.79).body).contains(#""confidence_score":0.79,"confidence":79"# + reviewed))
        #expect(
            photo(0.8).byteCount == photo(0.8).body.count + photo(0.8).log.object(in: .union, isForApps: true).count)
        let meal = text(MealLogExamples.mixed.object(in: .union, isForApps: true)).dropLast()
        let confirmed = text(photo(0.8).body(confirmedAs: MealLogExamples.mixed))
        #expect(confirmed.contains(#""data":\#(meal),"session_id":"#))
    }

    @Test("A photo's totals are rounded half up to whole grams", arguments: [(44, 4), (45, 5)])
    func photoTotals(tenths: Int, grams: Int) {
        var item = MealLogExamples.toast
        item.nutrients = MealNutrients(
            calories: 7, proteinTenths: tenths, carbsTenths: tenths + 10, fatTenths: tenths + 20)
        let photo = MealPhoto(MealLogExamples.log(.completed([item], at: .example)))
        let expected =
            #""total_macros":{"total_calories":7,"total_protein":\#(grams),"#
            + #""total_carbohydrates":\#(grams + 1),"total_fats":\#(grams + 2)}"#
        #expect(text(photo.body).contains(expected))
        let ofItem =
            #""macronutrients":{"calories":7,"protein":\#(grams),"carbohydrates":\#(grams + 1),"fats":\#(grams + 2),"#
            + #""fiber":0,"sugar":0},"portion_hints":["half a"],"order_index":0,"#
        #expect(text(photo.body).contains(ofItem))
    }

    @Test("A log with entered foods is manual once it is completed")
    func manual() {
        var log = MealLogExamples.completed
        log.isManual = true
        #expect(log.status == .manual)
        log.progress = .processing
        #expect(log.status == .processing)
    }

    @Test("A meal's text contains food names up to its length limit")
    func words() {
        func food(_ name: String) -> MealItem {
            MealItem(name: name, quantity: 1, unit: "", nutrients: MealNutrients())
        }
        #expect([food("Tea"), food("Pie")].words == "Tea, Pie")
        #expect([food(" ")].words == "A meal" && [].words == "A meal")
        // Each further name adds a comma and a space.
        #expect([food(String(repeating: "x", count: 999)), food("y")].words == "y")
    }
}
