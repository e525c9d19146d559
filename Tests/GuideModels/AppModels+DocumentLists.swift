extension AppModels {
    /// The totals of all lists except profile metrics; the apps do not read `has_more` in progress lists and searches.
    package struct Totals: Decodable {
        package let total, limit, offset: Int
        package let hasMore: Bool

        enum CodingKeys: String, CodingKey { case total, limit, offset, hasMore = "has_more" }
    }

    package struct Page<List: Decodable>: Decodable {
        package let list: List
        package let totals: Totals

        package init(from decoder: any Decoder) throws {
            (list, totals) = (try List(from: decoder), try Totals(from: decoder))
        }
    }

    /// Moods, the journal, and progress.
    package struct Entries<Item: Decodable>: Decodable { package let entries: [Item] }

    /// `GET /journal/search`.
    package struct Results: Decodable { package let results: [JournalEntry] }

    package struct Insights: Decodable {
        package let insights: [Insight]
        package let totalPages: Int

        enum CodingKeys: String, CodingKey { case insights, totalPages = "total_pages" }
    }

    package struct Sessions: Decodable {
        package let sessions: [SleepSession]
        package let averages: Averages?

        package struct Averages: Decodable {
            package let avgTimeInBedMinutes, avgTotalSleepMinutes: Int
            package let avgSleepEfficiencyPercentage: Double

            enum CodingKeys: String, CodingKey {
                case avgTimeInBedMinutes = "avg_time_in_bed_minutes", avgTotalSleepMinutes = "avg_total_sleep_minutes"
                case avgSleepEfficiencyPercentage = "avg_sleep_efficiency_percentage"
            }
        }
    }

    package struct Workouts: Decodable { package let workouts: [Workout] }

    /// A user's own and public templates or, with a different item type, templates that others share.
    package struct Templates<Item: Decodable>: Decodable { package let templates: [Item] }

    /// `GET /wellness/mood-entries/analytics`.
    package struct Analytics: Decodable {
        package let period: Period
        package let summary: Summary
        package let trends: Trends
        package let topLabels: [Label]
        package let topAssociations: [Association]?
        package let dailyAggregates: [Day]?

        package struct Period: Decodable {
            package let startDate, endDate: String
            package let totalDays: Int

            enum CodingKeys: String, CodingKey {
                case startDate = "start_date", endDate = "end_date", totalDays = "total_days"
            }
        }

        package struct Summary: Decodable {
            package let totalEntries: Int
            package let averageValence: Double
            package let daysWithEntries: Int
            package let loggingConsistency: Double

            enum CodingKeys: String, CodingKey {
                case totalEntries = "total_entries", averageValence = "average_valence"
                case daysWithEntries = "days_with_entries", loggingConsistency = "logging_consistency"
            }
        }

        package struct Trends: Decodable {
            package let trendDirection: Direction
            package let weeklyAverages: [Week]

            package enum Direction: String, Decodable {
                case improving, stable, declining, insufficientData = "insufficient_data"
            }

            package struct Week: Decodable {
                package let weekStart: String
                package let averageValence: Double

                enum CodingKeys: String, CodingKey { case weekStart = "week_start", averageValence = "average_valence" }
            }

            enum CodingKeys: String, CodingKey {
                case trendDirection = "trend_direction", weeklyAverages = "weekly_averages"
            }
        }

        package struct Label: Decodable {
            package let label: String
            package let count: Int
            package let percentage: Double
        }

        package struct Association: Decodable {
            package let association: String
            package let count: Int
            package let percentage, averageValence: Double

            enum CodingKeys: String, CodingKey {
                case association, count, percentage, averageValence = "average_valence"
            }
        }

        package struct Day: Decodable {
            package let date: String
            package let entryCount: Int
            package let averageValence, minValence, maxValence: Double
            package let mostCommonLabels: [Count]

            package struct Count: Decodable {
                package let label: String
                package let count: Int
            }

            enum CodingKeys: String, CodingKey {
                case date
                case entryCount = "entry_count", averageValence = "average_valence", minValence = "min_valence"
                case maxValence = "max_valence", mostCommonLabels = "most_common_labels"
            }
        }

        enum CodingKeys: String, CodingKey {
            case period, summary, trends
            case topLabels = "top_labels", topAssociations = "top_associations", dailyAggregates = "daily_aggregates"
        }
    }

    /// `GET /insights/unread/count`.
    package struct UnreadCount: Decodable { package let count: Int }

    /// `POST /insights/{id}/read`, `archive` and `unarchive`.
    package struct InsightMark: Decodable { package let message: String }

    /// `POST /insights/{id}/favorite`.
    package struct InsightFavorite: Decodable {
        package let isFavorite: Bool

        enum CodingKeys: String, CodingKey { case isFavorite = "is_favorite" }
    }

    /// `POST /workout-templates/{id}/share`.
    package struct SharedTemplate: Decodable {
        package let templateId, templateName: String
        package let sharedWith: [Share]
        package let totalShared: Int
        package let professionalType: String

        package struct Share: Decodable {
            package let userId, shareId: String
            package let sharedAt: WholeSeconds

            enum CodingKeys: String, CodingKey { case userId = "user_id", shareId = "share_id", sharedAt = "shared_at" }
        }

        enum CodingKeys: String, CodingKey {
            case templateId = "template_id", templateName = "template_name", sharedWith = "shared_with"
            case totalShared = "total_shared", professionalType = "professional_type"
        }
    }

    /// `DELETE /workout-templates/{id}/share/{user}`.
    package struct RevokedShare: Decodable {
        package let templateId, revokedFromUserId: String
        package let revokedAt: WholeSeconds

        enum CodingKeys: String, CodingKey {
            case templateId = "template_id", revokedFromUserId = "revoked_from_user_id", revokedAt = "revoked_at"
        }
    }

    /// An item of `GET /workout-templates/shared-with-me`.
    package struct ReceivedTemplate: Decodable {
        package let templateId, name: String
        package let exerciseCount: Int
        package let description, category, difficultyLevel: String?
        package let estimatedDurationMinutes: Int?
        package let professionalName, professionalType: String
        package let sharedAt: WholeSeconds
        package let notes: String?

        enum CodingKeys: String, CodingKey {
            case name, description, category, notes
            case templateId = "template_id", exerciseCount = "exercise_count", difficultyLevel = "difficulty_level"
            case estimatedDurationMinutes = "estimated_duration_minutes", professionalName = "professional_name"
            case professionalType = "professional_type", sharedAt = "shared_at"
        }
    }

    /// `POST /workout-templates/{id}/copy`.
    package struct CopiedTemplate: Decodable {
        package let originalTemplateId: String
        package let newTemplate: WorkoutTemplate

        enum CodingKeys: String, CodingKey {
            case originalTemplateId = "original_template_id", newTemplate = "new_template"
        }
    }
}
