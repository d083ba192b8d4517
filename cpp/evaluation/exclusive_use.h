// Admits one thread at a time, and no thread a second time from within its own call.
#pragma once

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace sandtable::evaluation {

class ExclusiveUse {
 public:
  // Held while the protected object is used. A caller that holds another lock which `forward` needs, such as the Python
  // interpreter's, must release it first: the thread that has been admitted may be waiting for it.
  class Guard {
   public:
    explicit Guard(ExclusiveUse& use) : use_(refuse_nesting(use)), lock_(use.mutex_) { use_.user_ = std::this_thread::get_id(); }
    ~Guard() { use_.user_ = std::thread::id(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    static ExclusiveUse& refuse_nesting(ExclusiveUse& use) {
      if (use.user_.load() == std::this_thread::get_id())
        throw std::invalid_argument("an evaluator cannot be used inside its own network");
      return use;
    }
    ExclusiveUse& use_;
    std::lock_guard<std::mutex> lock_;
  };

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> user_{};
};

}  // namespace sandtable::evaluation
