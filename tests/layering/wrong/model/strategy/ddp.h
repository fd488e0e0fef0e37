class BucketManager;
struct RingImpl {};
namespace util {}
