#include "core/team.hpp"

namespace retree {

Team::Team(int64_t n_threads, int64_t n_tasks)
    : size_(std::clamp(n_threads, int64_t{1}, std::max(n_tasks, int64_t{1}))) {
    require(n_threads >= 1, "The engine needs at least one thread.");
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    begins_.notify_all();
    for (std::thread &thread : threads_) thread.join();
}

void Team::run(int64_t n, Call task) {
    // Not before there is work: most trees are too small to share. Where the system has no more
    // threads to give, those that there are do the work.
    while (std::ssize(threads_) + 1 < size_) {
        const int64_t member = std::ssize(threads_) + 1;
        try {
            threads_.emplace_back([this, member] { live(member); });
        } catch (const std::system_error &) {
            size_ = member;
        }
    }
    std::unique_lock lock(mutex_);
    task_ = std::move(task);
    next_ = 0;
    n_ = n;
    begins_.notify_all();
    work_off(0, lock);
    ends_.wait(lock, [this] { return n_busy_ == 0; });
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

// What a thread does until the team ends.
void Team::live(int64_t member) {
    std::unique_lock lock(mutex_);
    while (true) {
        begins_.wait(lock, [this] { return is_over_ || next_ < n_; });
        if (is_over_) return;
        work_off(member, lock);
    }
}

// Takes tasks until none is left. The lock is held but for the tasks themselves.
void Team::work_off(int64_t member, std::unique_lock<std::mutex> &lock) {
    while (next_ < n_) {
        const int64_t i = next_++;
        ++n_busy_;
        lock.unlock();
        std::exception_ptr thrown;
        try {
            task_(member, i);
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        --n_busy_;
        if (thrown) {
            if (!thrown_) thrown_ = thrown;
            next_ = n_;
        }
    }
    if (n_busy_ == 0) ends_.notify_one();
}

}  // namespace retree
