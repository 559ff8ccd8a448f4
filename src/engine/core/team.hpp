// Threads that share the columns of a node.
#pragma once

#include "core/interface.hpp"

namespace retree {

// A member does one task after another, in no certain order: a task must read nothing that another
// one writes, and what it finds must stand in a place of its own. Then the number of members
// changes no result. The threads live as long as the team.
class Team {
public:
    // Entries read in the time that it takes to wake a thread.
    static constexpr int64_t LEAST_WORK = 1 << 14;

    // The caller is a member too. `n_tasks` is the most that there will ever be at once.
    Team(int64_t n_threads, int64_t n_tasks);
    ~Team();
    Team(const Team &) = delete;
    Team &operator=(const Team &) = delete;

    int64_t size() const { return size_; }

    // Calls task(member, i) for i = 0, ..., n - 1. Tasks of less than LEAST_WORK are left to the
    // caller. What a task throws is thrown here, after which no further one is begun.
    template <class Task>
    void share(int64_t n, int64_t work, const Task &task) {
        if (size_ == 1 || n == 1 || work < LEAST_WORK) {
            for (int64_t i = 0; i < n; ++i) task(int64_t{0}, i);
        } else {
            run(n, std::cref(task));
        }
    }

private:
    using Call = std::function<void(int64_t, int64_t)>;

    void run(int64_t n, Call task);
    void live(int64_t member);
    void work_off(int64_t member, std::unique_lock<std::mutex> &lock);

    int64_t size_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable begins_, ends_;
    // All below under the mutex.
    Call task_;
    int64_t next_ = 0, n_ = 0;  // first task that nobody has taken, and number of tasks
    int64_t n_busy_ = 0;        // members that are at a task
    std::exception_ptr thrown_;
    bool is_over_ = false;
};

}  // namespace retree
