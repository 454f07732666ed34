/* The simplest cell: what it costs is the cost of calling it. */
uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory) {
    (void)env, (void)energy, (void)memory;
    return REST;
}
