/* A driver from before CUDA 10. */
int cuInit(unsigned flags) { return (int)flags; }
