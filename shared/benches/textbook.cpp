// The textbook's table of a subtraction game, the rival of `cargo bench -p shared`.
// stdin: k, the moves, n, runs. stdout: the median time of a run in nanoseconds, then the XOR of all values.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

int main() {
    int k, n, runs;
    if (scanf("%d", &k) != 1) return 1;
    std::vector<int> moves(k);
    for (int &s : moves)
        if (scanf("%d", &s) != 1) return 1;
    if (scanf("%d %d", &n, &runs) != 2) return 1;
    std::sort(moves.begin(), moves.end());

    std::vector<long long> times;
    int sum = 0;
    for (int run = 0; run < runs; run++) {
        auto start = std::chrono::steady_clock::now();
        std::vector<int> sg(n + 1), stamp(k + 1, -1);
        for (int heap = 0; heap <= n; heap++) {
            for (int s : moves) {
                if (s > heap) break;
                stamp[sg[heap - s]] = heap;
            }
            while (stamp[sg[heap]] == heap) sg[heap]++;
        }
        auto time = std::chrono::steady_clock::now() - start;
        times.push_back(std::chrono::nanoseconds(time).count());
        sum = 0;
        for (int value : sg) sum ^= value;
    }
    std::sort(times.begin(), times.end());
    printf("%lld %d\n", times[runs / 2], sum);
}
